package wipe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// owner is the user by whom the owner signed in to the machine. The next customer's is made with the same UID, so nothing that has
// it may outlive the wipe: no process, and no file where everybody may leave one.
const owner = "gatehouse"

// How often it is looked whether the owner's processes are gone, and how long one look waits for the next.
const (
	looks = 200
	pause = 50 * time.Millisecond
)

// ownerUID is the owner's UID; 0 when there is no such user.
func (h *Helper) ownerUID() (int, error) {
	raw, err := os.ReadFile(h.at("etc/passwd"))
	if err != nil {
		return 0, fmt.Errorf("find user %s: %w", owner, err)
	}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Split(line, ":")
		if fields[0] != owner || len(fields) < 3 {
			continue
		}
		uid, err := strconv.Atoi(fields[2])
		if err == nil && uid <= 0 {
			err = errors.New("it is root")
		}
		if err != nil {
			return 0, fmt.Errorf("UID of user %s: %w", owner, err)
		}
		return uid, nil
	}
	return 0, nil
}

// shut takes the owner's keys away, so that nobody comes in while the wipe goes on. The folder is the owner's: no link is followed.
func (h *Helper) shut(context.Context) error {
	if err := os.RemoveAll(h.at("home/" + owner + "/.ssh")); err != nil {
		return fmt.Errorf("take the owner's keys: %w", err)
	}
	return nil
}

// leave removes the owner, with all that runs for them before and after: what is left of cron and at starts nothing any more then.
func (h *Helper) leave(ctx context.Context) error {
	_, _ = h.Run(ctx, "loginctl", "terminate-user", owner) // there may be none
	if err := h.kill(ctx); err != nil {
		return err
	}
	now, err := h.ownerUID()
	if err != nil {
		return err
	}
	if now != 0 {
		if _, err := h.Run(ctx, "userdel", "--force", owner); err != nil {
			return fmt.Errorf("remove user %s: %w", owner, err)
		}
	}
	return h.kill(ctx)
}

// kill ends the owner's processes, again and again until there is none: one may have started another meanwhile.
func (h *Helper) kill(ctx context.Context) error {
	for range looks {
		pids, err := h.processes()
		if err != nil || len(pids) == 0 {
			return err
		}
		for _, pid := range pids {
			if err := h.Kill(pid); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("end process %d: %w", pid, err)
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("processes of user %s do not end: %w: %w", owner, ErrLeft, ctx.Err())
		case <-time.After(pause):
		}
	}
	return fmt.Errorf("processes of user %s do not end: %w", owner, ErrLeft)
}

// processes are those that run with the owner's UID in any of the ways that the kernel knows. One that has ended, and waits for its
// parent to notice, runs no more.
func (h *Helper) processes() (pids []int, err error) {
	if h.uid == 0 {
		return nil, nil
	}
	all, err := os.ReadDir(h.at("proc"))
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	for _, e := range all {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		status, err := os.ReadFile(filepath.Join(h.at("proc"), e.Name(), "status"))
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has just ended
		}
		if err != nil {
			return nil, fmt.Errorf("look at process %d: %w", pid, err)
		}
		if runsAs(string(status), strconv.Itoa(h.uid)) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

func runsAs(status, uid string) (yes bool) {
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		switch {
		case name == "State" && len(fields) > 0 && fields[0] == "Z":
			return false
		case name == "Uid":
			yes = slices.Contains(fields, uid)
		}
	}
	return yes
}
