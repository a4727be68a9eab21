package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"gatehouse/agentd/sandbox"
)

// user looks at who agentd is: whoever the state directory belongs to.
func user(_ context.Context, in Input) Finding {
	me, f := os.Geteuid(), Finding{Name: "user", State: OK, Text: fmt.Sprintf("runs as user %d, without the rights of root", os.Geteuid())}
	uid, gid, err := owner(in.State)
	switch {
	case err != nil:
		f.State, f.Text = Fail, fmt.Sprintf("whose the state directory is, is not to be seen by user %d, so this is not agentd's: %v", me, err)
		f.Mend = "Run agentd doctor as agentd's user."
	case uid != me:
		f.State, f.Text = Fail, fmt.Sprintf("this is user %d, and the state directory belongs to user %d: what agentd may do is not to be seen from here", me, uid)
		f.Mend = "Run it as that user: " + command(in, uid, gid)
		if me != 0 {
			f.Mend = fmt.Sprintf("As root: %s; or, where agentd is to run as user %d: chown -R %d %s", command(in, uid, gid), me, me, in.State)
		}
	case me == 0:
		f.State, f.Text = Warn, "runs as root: commands of the team are confined, but their number of processes is not limited"
		f.Mend = "Run agentd as a user of its own: useradd --system gatehouse, give it the state directory and the data folder, and start agentd as that user."
	}
	return f
}

// owner is agentd's own user. Where there is no state yet, it is this one; whoever cannot see whether there is any is
// another, for agentd can.
func owner(state string) (uid, gid int, err error) {
	info, err := os.Stat(state)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.Geteuid(), os.Getegid(), nil
	case err != nil:
		return 0, 0, err
	}
	st := info.Sys().(*syscall.Stat_t)
	return int(st.Uid), int(st.Gid), nil
}

// command is the line that looks again as another user. Paths are without links, which that user may not be able to follow.
func command(in Input, uid, gid int) string {
	self, err := os.Executable()
	if err != nil {
		self = "agentd"
	}
	return fmt.Sprintf("setpriv --reuid %d --regid %d --clear-groups %s doctor --state %s --data %s", uid, gid, self, real(in.State), real(in.Data))
}

// fitLandlock is the version from which the sandbox can be set up.
const fitLandlock = 2

// commands tries whether programs can be confined.
func commands(ctx context.Context, in Input) Finding {
	f := Finding{Name: "commands", State: OK}
	p, err := try(ctx, in)
	switch {
	case errors.Is(err, errOther):
		f.State, f.Text, f.Mend = Warn, err.Error(), "Run agentd doctor as agentd's user, as said above."
	case err != nil:
		f.State, f.Text = Fail, "could not be tried: "+err.Error()
		f.Mend = "Make the data folder, and a folder for temporary files that this user can write."
	case p.Off != "":
		f.State, f.Text = Fail, "the shell tool is off: "+p.Off
		f.Mend = fmt.Sprintf("The kernel can do it, so look at what is said here; user %d has to be able to read and write the data folder. Everything else works meanwhile.", os.Geteuid())
		if p.Landlock < fitLandlock {
			f.Mend = "Use Linux 5.19 or newer with Landlock (CONFIG_SECURITY_LANDLOCK=y, and landlock among the modules in /sys/kernel/security/lsm). Everything else works meanwhile."
		}
	default:
		f.Text = fmt.Sprintf("programs of the team see only the data folder (Landlock version %d, filtered system calls, no new rights)", p.Landlock)
	}
	return f
}

// network tries whether programs have a network.
func network(ctx context.Context, in Input) Finding {
	f := Finding{Name: "network", State: OK, Text: "programs of the team are in an empty network and a process space of their own"}
	p, err := try(ctx, in)
	switch {
	case errors.Is(err, errOther):
		f.State, f.Text = Warn, err.Error()
	case err != nil || p.Off != "":
		f.State, f.Text = Warn, "not tried, as no program can run"
	case !p.Namespaces:
		f.State = Warn
		f.Text = "programs cannot make network sockets, but share the machine's network and process space: " + p.Lacking
		f.Mend = "Allow user namespaces for this user: sysctl user.max_user_namespaces=10000, and on Ubuntu an AppArmor profile for agentd (or kernel.apparmor_restrict_unprivileged_userns=0)."
	}
	return f
}

// errOther says why nothing is tried as somebody else than agentd: what came out would be true of this user alone.
var errOther = errors.New("not tried: this is not agentd's user")

// try confines a program for real. It uses a folder of its own for what agentd would keep in the state directory, so
// that a running agentd is not disturbed.
func try(ctx context.Context, in Input) (p sandbox.Protection, err error) {
	if uid, _, err := owner(in.State); err != nil || uid != os.Geteuid() {
		return p, errOther
	}
	dir, err := os.MkdirTemp("", "agentd-doctor-")
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	box, err := sandbox.New(ctx, in.Data, filepath.Join(dir, "state"))
	if err != nil {
		return p, err
	}
	return box.Protection(), ctx.Err()
}
