package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// maxBack is how far agentd's records may lie in the future.
const maxBack = time.Minute

// clock looks whether time can be trusted: approvals end by this server's own clock.
func clock(_ context.Context, in Input) Finding {
	f := Finding{Name: "clock", State: OK, Text: "it is " + in.Now().UTC().Format(time.RFC3339)}
	mend := "Keep the clock right: systemctl enable --now systemd-timesyncd, or chrony."
	if last := newest(in.State); last.Sub(in.Now()) > maxBack {
		f.State, f.Mend = Fail, mend
		f.Text += ", but agentd's own records are from " + last.UTC().Format(time.RFC3339) + ": the clock went back"
		return f
	}
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	switch {
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS): // in some containers
		f.Text += "; whether it is kept right cannot be seen from here"
	case err != nil:
		f.State, f.Text, f.Mend = Warn, f.Text+"; the kernel does not say whether it is right: "+err.Error(), mend
	case state == unix.TIME_ERROR || t.Status&unix.STA_UNSYNC != 0:
		f.State, f.Text, f.Mend = Warn, f.Text+"; nothing keeps the clock right", mend
	}
	return f
}

// newest is when the youngest file of the state directory was written.
func newest(dir string) time.Time {
	var last time.Time
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is a matter of permissions, not of time
		}
		if info, err := e.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		return time.Time{}
	}
	return last
}
