# Runs a command in a root of its own: ROOT is an empty directory, the words before "--" are directories of the host to
# show read-only, CODE and WORK appear as /code and /work. Called inside new user, mount, pid and network namespaces.
set -e
mount -t tmpfs -o size=16m,mode=755 none "$ROOT"
while [ "$1" != "--" ]; do
  mkdir -p "$ROOT$1"
  mount --rbind "$1" "$ROOT$1"
  mount -o remount,bind,ro "$ROOT$1"
  shift
done
shift
mkdir "$ROOT/code" "$ROOT/work" "$ROOT/proc" "$ROOT/dev" "$ROOT/old"
ln -s /work "$ROOT/tmp"
for link in bin sbin lib lib64; do
  if [ -L "/$link" ]; then ln -s "$(readlink "/$link")" "$ROOT/$link"; fi
done
mount --bind "$CODE" "$ROOT/code"
mount -o remount,bind,ro "$ROOT/code"
mount --bind "$WORK" "$ROOT/work"
mount -t proc none "$ROOT/proc"
for device in null zero random urandom; do
  : > "$ROOT/dev/$device"
  mount --bind "/dev/$device" "$ROOT/dev/$device"
done
cd "$ROOT"
pivot_root . old
cd /work
umount -l /old
unset ROOT CODE WORK
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
