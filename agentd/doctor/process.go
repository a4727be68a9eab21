package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gatehouse/agentd/sandbox"
)

// user looks at who agentd is.
func user(context.Context, Input) Finding {
	f := Finding{Name: "user", State: OK, Text: fmt.Sprintf("runs as user %d, without the rights of root", os.Geteuid())}
	if os.Geteuid() == 0 {
		f.State, f.Text = Warn, "runs as root: commands of the team are confined, but their number of processes is not limited"
		f.Mend = "Run agentd as a user of its own: useradd --system gatehouse, give it the state directory and the data folder, and start agentd as that user."
	}
	return f
}

// commands tries whether programs can be confined.
func commands(ctx context.Context, in Input) Finding {
	f := Finding{Name: "commands", State: OK}
	p, err := try(ctx, in.Data)
	switch {
	case err != nil:
		f.State, f.Text = Fail, "could not be tried: "+err.Error()
		f.Mend = "Make the data folder, and a folder for temporary files that this user can write."
	case p.Off != "":
		f.State, f.Text = Fail, "the shell tool is off: "+p.Off
		f.Mend = "Use Linux 5.19 or newer with Landlock (CONFIG_SECURITY_LANDLOCK=y, and landlock among the modules in /sys/kernel/security/lsm). Everything else works meanwhile."
	default:
		f.Text = fmt.Sprintf("programs of the team see only the data folder (Landlock version %d, filtered system calls, no new rights)", p.Landlock)
	}
	return f
}

// network tries whether programs have a network.
func network(ctx context.Context, in Input) Finding {
	f := Finding{Name: "network", State: OK, Text: "programs of the team are in an empty network and a process space of their own"}
	p, err := try(ctx, in.Data)
	switch {
	case err != nil || p.Off != "":
		f.State, f.Text = Warn, "not tried, as no program can run"
	case !p.Namespaces:
		f.State = Warn
		f.Text = "programs cannot make network sockets, but share the machine's network and process space: " + p.Lacking
		f.Mend = "Allow user namespaces for this user: sysctl user.max_user_namespaces=10000, and on Ubuntu an AppArmor profile for agentd (or kernel.apparmor_restrict_unprivileged_userns=0)."
	}
	return f
}

// try confines a program for real. It uses a folder of its own for what agentd would keep in the state directory, so
// that a running agentd is not disturbed.
func try(ctx context.Context, data string) (p sandbox.Protection, err error) {
	dir, err := os.MkdirTemp("", "agentd-doctor-")
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	box, err := sandbox.New(ctx, data, filepath.Join(dir, "state"))
	if err != nil {
		return p, err
	}
	return box.Protection(), nil
}
