package shell_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// changing are the calls to the kernel that change something outside a process, and those by which processes begin.
const changing = ",clone,clone3,?fork,?vfork" +
	",?open,openat,openat2,?creat,truncate,ftruncate,fallocate,?unlink,unlinkat,?rmdir,?rename,renameat,renameat2,?mkdir,mkdirat" +
	",?mknod,mknodat,?link,linkat,?symlink,symlinkat,?chmod,fchmod,fchmodat,?chown,?lchown,fchown,fchownat,?utime,?utimes,?futimesat,utimensat" +
	",setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr,connect,sendto,sendmsg,sendmmsg,bind,mount,umount2" +
	",sethostname,settimeofday,clock_settime,clock_adjtime,adjtimex,swapon,swapoff,reboot,ptrace,init_module,finit_module,bpf"

// TestGreen_reachesNothing runs commands that are called harmless under strace: nothing that they or the runner ask of the
// kernel changes anything, in the data folder or outside, but for the scratch folder of the call, and nothing leaves the
// machine. It takes one of forty commands, in the long run (GATEHOUSE_SOAK) all.
func TestGreen_reachesNothing(t *testing.T) {
	t.Parallel()
	if raceOn {
		t.Skip("what runs inside is the same program; the plain run does this")
	}
	if os.Getenv(traced) != "" {
		t.Skip("this is the traced run")
	}
	programs := map[string]bool{}
	for _, e := range trace(t, changing, []string{sampled + "=40"}, "-test.run=^TestGreen_changesNothing$") {
		if e.program == "" || e.program == os.Args[0] || e.program == "/proc/self/exe" {
			continue // the test itself, and what sets up the sandbox
		}
		programs[e.program] = true
		if e.changes() {
			t.Errorf("%s", e)
		}
	}
	if t.Logf("%d programs", len(programs)); len(programs) < 20 || !programs[runs] {
		t.Errorf("only these programs were seen: %v", programs)
	}
}

var (
	opens   = regexp.MustCompile(`^(?:open(?:at2?)?|creat)\(.*\) += \d+<([^>]*)>`)
	writes  = regexp.MustCompile(`^creat|O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE`)
	speaks  = regexp.MustCompile(`^(?:connect|send\w*|bind)\(`)
	begins  = regexp.MustCompile(`^(?:exec|clone|v?fork|dup|fcntl|[-+]{3})`)
	touched = regexp.MustCompile(`"([^"]*)"|[0-9]<([^>]*)>`)
)

// changes says whether a call changed something that stays when it is over, or reached another machine.
func (e event) changes() bool {
	switch {
	case e.failed() || begins.MatchString(e.call):
		return false
	case speaks.MatchString(e.call):
		return strings.Contains(e.call, "sa_family=AF_INET")
	case strings.HasPrefix(e.call, "open"):
		file := opens.FindStringSubmatch(e.call)
		return writes.MatchString(e.call) && (file == nil || !passes(file[1]))
	}
	for _, m := range touched.FindAllStringSubmatch(e.call, -1) {
		if !passes(m[1] + m[2]) {
			return true
		}
	}
	return !touched.MatchString(e.call)
}

// passes says whether what is written to a file is gone with the call.
func passes(file string) bool {
	return file == "/dev/null" || strings.HasPrefix(file, "/memfd:") || strings.Contains(filepath.Clean(file), "/state/scratch/run-")
}

// TestChanges: what the trace is searched for is found in one.
func TestChanges(t *testing.T) {
	t.Parallel()
	log := `7 execve("/usr/bin/x", ["x"], 0x7 /* 3 vars */) = 0
7 openat(AT_FDCWD</data>, "/etc/hosts", O_RDONLY|O_CLOEXEC) = 3</etc/hosts>
7 openat(AT_FDCWD</data>, "/dev/null", O_WRONLY) = 3</dev/null>
7 openat(AT_FDCWD</data>, "/etc/hosts", O_WRONLY|O_TRUNC) = -1 EACCES (Permission denied)
7 mkdir("/s/state/scratch/run-1/a", 0700)        = 0
7 connect(3<socket:[9]>, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = 0
7 clone(child_stack=NULL, flags=SIGCHLD) = 2 /* 8 in strace's PID NS */
8 openat(AT_FDCWD</data>, "/etc/hosts", O_WRONLY|O_TRUNC <unfinished ...>
7 rename("/s/state/scratch/run-1/a", "/s/state/scratch/run-1/../../db") = 0
8 <... openat resumed>)             = 4</etc/hosts>
8 connect(3<socket:[9]>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("192.0.2.1")}, 16) = 0
8 unlinkat(AT_FDCWD</data>, "a.txt", 0) = 0
8 fchmod(4</data/a.txt>, 0600) = 0
`
	var found []string
	for _, e := range events(log) {
		if e.changes() {
			found = append(found, e.program+" "+e.call[:6])
		}
	}
	want := []string{"/usr/bin/x rename", "/usr/bin/x openat", "/usr/bin/x connec", "/usr/bin/x unlink", "/usr/bin/x fchmod"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q", found)
	}
}
