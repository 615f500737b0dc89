# Inner half, and the first process of the namespaces until they end: the snippet is a child of it, so that nothing the
# snippet does to itself keeps the namespaces alive. It runs its words; PROGRAM is the interpreter among them,
# LIMITS are the options of prlimit.
set -e
step() { echo "step $1" >&3; }
step 'mounting /proc'
mount -t proc -o nosuid,nodev,noexec none /proc
step 'forbidding further user namespaces'
echo 0 > /proc/sys/user/max_user_namespaces
step 'closing /proc'
mount -o remount,bind,ro,nosuid,nodev,noexec /proc
mount -t tmpfs -o ro,size=4k,mode=555 none /proc/sys
for file in sysrq-trigger kcore kmsg keys kallsyms timer_list; do
  if [ -e "/proc/$file" ]; then mount --bind /dev/null "/proc/$file"; fi
done
drop='setpriv --no-new-privs --bounding-set=-all --inh-caps=-all prlimit'
step 'starting the interpreter under its limits'
$drop $LIMITS -- test -x "$PROGRAM"
echo ready >&3
# A shell says of a child that a signal ended it on its own stderr, and gives 128 and its number; a program can exit with
# such a number as well. So what the shell itself says goes to descriptor 3.
exec 4>&2 2>&3
set +e
( exec $drop $LIMITS -- "$@" 2>&4 3>&- 4>&- )
code=$?
echo "ended $code" >&3
exit $code
