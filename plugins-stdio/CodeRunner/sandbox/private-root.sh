# Runs a command in a root of its own: ROOT is an empty directory, the words before "--" are directories of the host to
# show read-only, CODE and WORK appear as /sandbox/code and /sandbox/work. Called inside new user, mount, pid and network namespaces.
set -e
mount -t tmpfs -o size=16m,mode=755 none "$ROOT"
while [ "$1" != "--" ]; do
  mkdir -p "$ROOT$1"
  mount --rbind "$1" "$ROOT$1"
  mount -o remount,bind,ro "$ROOT$1"
  shift
done
shift
# An interpreter may lie below any directory, /work or /tmp included, so what is the sandbox's has a name of its own.
mkdir "$ROOT/sandbox" "$ROOT/sandbox/code" "$ROOT/sandbox/work" "$ROOT/sandbox/old"
mkdir -p "$ROOT/proc" "$ROOT/dev"
[ -e "$ROOT/tmp" ] || ln -s /sandbox/work "$ROOT/tmp"
for link in bin sbin lib lib64; do
  if [ -L "/$link" ]; then ln -s "$(readlink "/$link")" "$ROOT/$link"; fi
done
mount --bind "$CODE" "$ROOT/sandbox/code"
mount -o remount,bind,ro "$ROOT/sandbox/code"
mount --bind "$WORK" "$ROOT/sandbox/work"
mount -t proc none "$ROOT/proc"
for device in null zero random urandom; do
  : > "$ROOT/dev/$device"
  mount --bind "/dev/$device" "$ROOT/dev/$device"
done
cd "$ROOT"
pivot_root . sandbox/old
cd /sandbox/work
umount -l /sandbox/old
unset ROOT CODE WORK
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
