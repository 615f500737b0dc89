# Outer half: makes a root of its own and goes into it, then starts ENTER, the text of enter-root.sh, in namespaces with
# no host left in sight. ROOT is an empty directory, the words before "--" are directories of the host to show read-only,
# the words after it are what enter-root.sh runs, CODE and WORK appear as /sandbox/code and /sandbox/work, IDENTITY is what setpriv needs to leave root. What is done is said on
# descriptor 3; descriptor 4 ends when the worker has gone. Called in a mount namespace of its own.
set -e
step() { echo "step $1" >&3; }
# Out of the snippet's reach, since it is in no namespace of it: kills the sandbox when the worker dies, however it dies.
( read -r _ || kill -KILL $$ ) <&4 >/dev/null 2>&1 3>&- &
exec 4<&-
step 'showing the system read-only'
mount -t tmpfs -o size=16m,mode=755 none "$ROOT"
while [ "$1" != "--" ]; do
  mkdir -p "$ROOT$1"
  mount --rbind "$1" "$ROOT$1"
  shift
done
shift
# Each mount below has flags of its own: read-only for the top one says nothing about the others.
while read -r _ _ _ _ point options _; do
  point=$(printf '%b' "$point")
  case $point in
    "$ROOT"/*) mount -o "remount,bind,ro${options#r[ow]}" "$point" ;;
  esac
done < /proc/self/mountinfo
step 'making directories'
# An interpreter may lie below any directory, /work or /tmp included, so what is the sandbox's has a name of its own.
mkdir "$ROOT/sandbox" "$ROOT/sandbox/code" "$ROOT/sandbox/work" "$ROOT/sandbox/old"
mkdir -p "$ROOT/proc" "$ROOT/dev"
[ -e "$ROOT/tmp" ] || ln -s /sandbox/work "$ROOT/tmp"
for link in bin sbin lib lib64; do
  if [ -L "/$link" ]; then ln -s "$(readlink "/$link")" "$ROOT/$link"; fi
done
step 'mounting code, work and devices'
mount --bind "$CODE" "$ROOT/sandbox/code"
mount -o remount,bind,ro,nosuid,nodev "$ROOT/sandbox/code"
mount --bind "$WORK" "$ROOT/sandbox/work"
mount -o remount,bind,nosuid,nodev "$ROOT/sandbox/work"
for device in null zero random urandom; do
  : > "$ROOT/dev/$device"
  mount --bind "/dev/$device" "$ROOT/dev/$device"
done
# The kernel gives a namespace a /proc of its own only where one is in sight; the new one covers this.
mount --rbind /proc "$ROOT/proc"
step 'changing the root'
cd "$ROOT"
pivot_root . sandbox/old
cd /
umount -l /sandbox/old
mount -o remount,bind,ro /
cd /sandbox/work
unset ROOT CODE WORK
step 'entering the namespaces'
exec setpriv $IDENTITY --inh-caps=-all unshare --user --map-root-user --mount --net --pid --ipc --uts --cgroup \
  --fork --kill-child /bin/sh -c "$ENTER" enter-root "$@"
