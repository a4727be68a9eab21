package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ensure starts agentd of a server unless it runs, and says whether it did.
func (h *Host) ensure(serverID string) (started bool, err error) {
	unlock, err := lock(h.path(serverID, "lock"))
	if err != nil {
		return false, err
	}
	defer unlock()
	r, err := h.record(serverID)
	if err != nil {
		return false, err
	}
	if r.Process.alive() {
		return false, nil
	}
	if p, ok := findByName(serverID); ok {
		r.Process = p
		return false, h.noteStart(r)
	}
	return true, h.start(r)
}

// start starts agentd in a session of its own: a signal to the hub's group does not reach it, and it outlives the hub.
func (h *Host) start(r record) error {
	if err := h.writeModelKey(r); err != nil {
		return err
	}
	out, err := h.openLog(r.ServerID)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	cmd := exec.Command(h.opt.Bin)
	cmd.Args = []string{nameOf(r.ServerID), "run"}
	cmd.Dir = h.path(r.ServerID, stateDir)
	cmd.Env = h.environ(r)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if h.account != nil {
		a := h.account(r.Slot)
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start agentd: %w", err)
	}
	s, err := statOf(cmd.Process.Pid) // there at least as a zombie until it is waited for
	r.Process = process{PID: cmd.Process.Pid, Start: s.start}
	h.reap(r, cmd)
	if err != nil {
		return fmt.Errorf("start agentd: %w", err)
	}
	h.opt.Log.Info("agentd started", "server_id", r.ServerID, "pid", r.Process.PID)
	return h.noteStart(r)
}

func (h *Host) noteStart(r record) error {
	if r.StartedAt.IsZero() {
		r.StartedAt = time.Now().UTC()
	}
	return h.save(r)
}

// reap waits for the end of a child, so that it leaves no zombie and its exit code is known.
func (h *Host) reap(r record, cmd *exec.Cmd) {
	code := make(chan int, 1)
	h.mu.Lock()
	h.children[r.Process] = code
	h.mu.Unlock()
	go func() {
		err := cmd.Wait()
		if h.ctx.Err() == nil {
			h.opt.Log.Warn("agentd ended", "server_id", r.ServerID, "pid", r.Process.PID, "error", err)
		}
		code <- cmd.ProcessState.ExitCode()
	}()
}

// exitCode is how a process that is gone ended, 0 when that is not known.
func (h *Host) exitCode(p process) int {
	h.mu.Lock()
	code, mine := h.children[p]
	delete(h.children, p)
	h.mu.Unlock()
	if !mine {
		return 0
	}
	return <-code
}

// environ is everything that agentd gets from the hub: no variable of the hub's own, and no secret.
func (h *Host) environ(r record) []string {
	env := []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "TZ=UTC",
		"AGENTD_STATE=" + h.path(r.ServerID, stateDir),
		"AGENTD_DATA=" + h.path(r.ServerID, dataDir),
		"AGENTD_TOKEN_FILE=" + h.path(r.ServerID, stateDir, tokenFile),
		"AGENTD_HUB=" + h.opt.Hub,
	}
	for name, value := range map[string]string{
		"AGENTD_SMTP_ADDR": h.opt.SMTPAddr, "AGENTD_MAIL_FROM": h.opt.MailFrom,
		"MODEL_BASE_URL": h.opt.Model.BaseURL, "MODEL_NAME": h.opt.Model.Name,
	} {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	if h.opt.Demo {
		env = append(env, "AGENTD_DEMO=1")
	}
	return env
}

// writeModelKey puts the model's key where agentd reads it, and takes an old one away.
func (h *Host) writeModelKey(r record) error {
	if h.opt.Model.Key != "" {
		return h.writeSecret(r, keyFile, h.opt.Model.Key)
	}
	if err := os.Remove(h.path(r.ServerID, stateDir, keyFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// maxLog is how large agentd's log may be, in bytes, before a start sets it aside; one older log is kept.
const maxLog = 8 << 20

func (h *Host) openLog(serverID string) (*os.File, error) {
	path := h.path(serverID, logFile)
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// end asks agentd of a server to end, then makes it.
func (h *Host) end(ctx context.Context, r record) error {
	p := r.Process
	if !p.alive() {
		var ok bool
		if p, ok = findByName(r.ServerID); !ok {
			return nil
		}
	}
	if err := p.signalAll(unix.SIGTERM); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	if gone(ctx, p) {
		return nil
	}
	if err := p.signalAll(unix.SIGKILL); err != nil {
		return err
	}
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if !gone(ctx, p) {
		return fmt.Errorf("agentd of %s, pid %d, does not end", r.ServerID, p.PID)
	}
	return nil
}
