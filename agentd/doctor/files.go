package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/tool"
)

// clean looks for files that a crash left in the state directory.
func clean(_ context.Context, in Input) Finding {
	f := Finding{Name: "leftovers", State: OK, Text: "no core files"}
	cores, err := filepath.Glob(filepath.Join(in.State, "core*"))
	if err == nil && len(cores) > 0 {
		f.State, f.Text = Warn, tool.Count(int64(len(cores)), "core file", "core files")+" in the state directory may hold secrets"
		f.Mend = "Look at why agentd crashed, then remove " + strings.Join(cores, " ") + "."
	}
	return f
}

// permissions looks at who could read the state directory.
func permissions(_ context.Context, in Input) Finding {
	f := Finding{Name: "permissions", State: OK, Text: "only agentd's user can read its state"}
	_, err := os.Stat(in.State)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.State, f.Text, f.Mend = Warn, "there is no state directory yet", "Register this server: agentd register."
		return f
	case err != nil:
		f.State, f.Text, f.Mend = Fail, "the state directory cannot be looked at: "+err.Error(), "Run agentd doctor as agentd's user."
		return f
	}
	wide, err := tooWide(in.State)
	switch {
	case err != nil:
		f.State, f.Text, f.Mend = Fail, "the state directory cannot be read: "+err.Error(), "Run agentd doctor as agentd's user."
	case len(wide) > 0:
		f.State, f.Text = Fail, "others can read or write "+strings.Join(wide, ", ")
		f.Mend = "chmod -R go= " + in.State
	}
	return f
}

// tooWide names up to five entries of the state directory that others have rights on.
func tooWide(dir string) ([]string, error) {
	var wide []string
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0 {
			wide = append(wide, p)
		}
		if len(wide) == 5 {
			return fs.SkipAll
		}
		return nil
	})
	return wide, err
}

// dataFolder looks whether the team can work.
func dataFolder(_ context.Context, in Input) Finding {
	f := Finding{Name: "data", State: OK, Text: "the data folder can be read and written"}
	info, err := os.Stat(in.Data)
	switch {
	case err != nil:
		f.State, f.Text, f.Mend = Fail, "there is no data folder: "+err.Error(), "mkdir -p "+in.Data
	case !info.IsDir():
		f.State, f.Text, f.Mend = Fail, in.Data+" is not a folder", "Name a folder in AGENTD_DATA."
	case unix.Access(in.Data, unix.R_OK|unix.W_OK|unix.X_OK) != nil:
		f.State, f.Text = Fail, "the data folder cannot be read and written"
		f.Mend = fmt.Sprintf("chown -R %d %s", os.Geteuid(), in.Data)
	}
	return f
}

// apart looks whether the team could reach agentd's own files through the data folder.
func apart(_ context.Context, in Input) Finding {
	f := Finding{Name: "apart", State: OK, Text: "agentd's files lie outside the data folder"}
	data, state := real(in.Data), real(in.State)
	if data == state || strings.HasPrefix(state+"/", data+"/") || strings.HasPrefix(data+"/", state+"/") {
		f.State, f.Text = Fail, "the state directory and the data folder lie in each other"
		f.Mend = "Set AGENTD_STATE and AGENTD_DATA to folders apart, such as /var/lib/agentd and /opt/gatehouse."
	}
	return f
}

func real(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		return r
	}
	return filepath.Clean(p)
}

// Below these agentd will soon not be able to record what it does, and then does nothing.
const (
	failFree = 64 << 20
	warnFree = 1 << 30
)

// disk looks for room where receipts are written.
func disk(_ context.Context, in Input) Finding {
	dir := in.State
	if _, err := os.Stat(dir); err != nil {
		dir = filepath.Dir(dir)
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return Finding{Name: "disk", State: Fail, Text: "cannot be looked at: " + err.Error(), Mend: "Make the folder " + dir + "."}
	}
	free := int64(st.Bavail) * st.Bsize
	f := Finding{Name: "disk", State: OK, Text: tool.Bytes(free) + " free for agentd's records"}
	switch {
	case st.Flags&unix.ST_RDONLY != 0:
		f.State, f.Text, f.Mend = Fail, "the disk can only be read", "Look at dmesg for why, then: mount -o remount,rw "+dir
	case free < failFree:
		f.State, f.Mend = Fail, "Free room on the disk of "+dir+": without it nothing is recorded, and what cannot be recorded is not done."
	case free < warnFree:
		f.State, f.Mend = Warn, "Free room on the disk of "+dir+"."
	}
	return f
}
