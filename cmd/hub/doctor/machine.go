package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// maxApart is how far the clocks of this machine and of the database may be apart.
const maxApart = 5 * time.Second

// Clock looks whether time can be trusted: links of mails, sessions and decisions end by it. Other is the time of the
// database, zero when it cannot be asked.
func Clock(now func() time.Time, other func(ctx context.Context) time.Time) Look {
	const mend = "Keep the clock right: systemctl enable --now systemd-timesyncd, or chrony."
	return func(ctx context.Context) Finding {
		at, here := other(ctx), now().UTC()
		if apart := at.Sub(here).Abs(); !at.IsZero() && apart > maxApart {
			return Bad(mend, "it is %s here and %s at the database: %s apart", here.Format(time.RFC3339), at.UTC().Format(time.RFC3339),
				apart.Round(time.Second))
		}
		var t unix.Timex
		state, err := unix.Adjtimex(&t)
		switch {
		case errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS): // in some containers
			return Good("it is %s; whether it is kept right cannot be seen from here", here.Format(time.RFC3339))
		case err != nil || state == unix.TIME_ERROR || t.Status&unix.STA_UNSYNC != 0:
			return Doubtful(mend, "it is %s; nothing keeps the clock right", here.Format(time.RFC3339))
		}
		return Good("it is %s, and kept right", here.Format(time.RFC3339))
	}
}

// How much room a disk must have.
const (
	lowPercent  = 10
	fullPercent = 3
)

// Disk looks how much room there is where the hub writes. Folders that are not there yet are passed over.
func Disk(dirs ...string) Look {
	return func(context.Context) Finding {
		var said []string
		worst := Good("")
		for _, dir := range dirs {
			var s unix.Statfs_t
			if err := unix.Statfs(dir, &s); err != nil || s.Blocks == 0 {
				continue
			}
			free := s.Bavail * 100 / s.Blocks
			said = append(said, fmt.Sprintf("%s: %d MB free (%d %%)", dir, s.Bavail*uint64(s.Bsize)>>20, free))
			switch {
			case free < fullPercent:
				worst = Bad("Make room: an order or a backup that finds none is lost.", "")
			case free < lowPercent && worst.State == OK:
				worst = Doubtful("Make room before it is full.", "")
			}
		}
		if worst.Text = strings.Join(said, ", "); worst.Text == "" {
			worst.Text = "none of the folders of this hub is there yet"
		}
		return worst
	}
}

// KeyFile looks whether the key is there, and for nobody else.
func KeyFile(path string) Look {
	return func(context.Context) Finding {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Bad("Put the key file of this hub there. Only a hub that never ran gets a new one: install -m 600 /dev/null "+path+
				" && head -c 32 /dev/urandom > "+path, "%s is missing", path)
		case err != nil:
			return Bad("Make it readable for the user of the hub alone.", "%v", err)
		case info.Mode().Perm()&0o077 != 0 && os.Getenv("CREDENTIALS_DIRECTORY") == "":
			return Bad("chmod 600 "+path, "%s has mode %04o: others can read what closes the secrets in the database",
				path, info.Mode().Perm())
		case info.Size() != 32:
			return Bad("Put the key file of this hub there, from its backup.", "%s has %d bytes, not 32", path, info.Size())
		}
		f, err := os.Open(path)
		if err != nil {
			return Bad("Run this as root, or as the user of the hub.", "%v", err)
		}
		_ = f.Close() // only whether it opens
		return Good("%s, for its owner alone", path)
	}
}

// Public asks the hub at the address that people and servers use.
func Public(address string) Look {
	return func(ctx context.Context) Finding {
		const mend = "Start the hub, and see that the name and the proxy in front lead to it. Before the first start this is no fault."
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", nil)
		if err != nil {
			return Bad("Set HUB_PUBLIC_URL.", "%v", err)
		}
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		defer client.CloseIdleConnections()
		resp, err := client.Do(r)
		if err != nil {
			return Doubtful(mend, "%s does not answer: %v", address, err)
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode != http.StatusOK {
			return Doubtful(mend, "%s/readyz answers %s", address, resp.Status)
		}
		return Good("%s answers and is ready", address)
	}
}
