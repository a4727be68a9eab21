package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ensure starts every part of a server that does not run, and says whether agentd was among them.
func (h *Host) ensure(serverID string) (started bool, err error) {
	for _, p := range h.parts() {
		if started, err = h.ensurePart(serverID, p); err != nil {
			return false, err
		}
	}
	return started, nil
}

func (h *Host) ensurePart(serverID string, p part) (started bool, err error) {
	unlock, err := lock(h.path(serverID, "lock"))
	if err != nil {
		return false, err
	}
	defer unlock()
	r, err := h.record(serverID)
	if err != nil {
		return false, err
	}
	if r.Retired {
		return false, errRetired
	}
	if r.Off {
		return false, errOff
	}
	if r.process(p).alive() {
		return false, nil
	}
	if found, ok := p.findByName(serverID); ok {
		*r.process(p) = found
		return false, h.noteStart(r)
	}
	return true, h.start(r, p)
}

// start starts a part in a session of its own: a signal to the hub's group does not reach it, and it outlives the hub.
func (h *Host) start(r record, p part) error {
	if err := h.prepare(r, p); err != nil {
		return err
	}
	out, err := h.openLog(r.ServerID, p.log)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	cmd := h.command(r, p)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.sub, err)
	}
	s, err := statOf(cmd.Process.Pid) // there at least as a zombie until it is waited for
	*r.process(p) = process{PID: cmd.Process.Pid, Start: s.start}
	h.reap(r, p, cmd)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.sub, err)
	}
	h.opt.Log.Info("process of a local server started", "server_id", r.ServerID, "part", p.sub, "pid", cmd.Process.Pid)
	return h.noteStart(r)
}

// command is a part as a command of its own user, in its own folder.
func (h *Host) command(r record, p part) *exec.Cmd {
	cmd := exec.Command(h.opt.Bin)
	cmd.Args = []string{p.nameOf(r.ServerID), p.sub}
	cmd.Dir, cmd.Env = h.path(r.ServerID, stateDir), h.environ(r)
	if p == proxy {
		cmd.Dir, cmd.Env = h.path(r.ServerID, proxyDir), h.proxyEnviron(r)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a := h.userOf(r, p); a != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

func (h *Host) noteStart(r record) error {
	if r.StartedAt.IsZero() {
		r.StartedAt = time.Now().UTC()
	}
	return h.save(r)
}

// reap waits for the end of a child, so that it leaves no zombie and its exit code is known.
func (h *Host) reap(r record, p part, cmd *exec.Cmd) {
	code := make(chan int, 1)
	h.mu.Lock()
	h.children[*r.process(p)] = code
	h.mu.Unlock()
	go func() {
		err := cmd.Wait()
		if h.ctx.Err() == nil {
			h.opt.Log.Warn("a process of a local server ended", "server_id", r.ServerID, "part", p.sub, "pid", cmd.Process.Pid, "error", err)
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
	env := append(common[:len(common):len(common)],
		"AGENTD_STATE="+h.path(r.ServerID, stateDir),
		"AGENTD_DATA="+h.path(r.ServerID, dataDir),
		"AGENTD_TOKEN_FILE="+h.path(r.ServerID, stateDir, tokenFile),
		"AGENTD_HUB="+h.opt.Hub,
	)
	if h.opt.Model.BaseURL != "" {
		env = append(env, "AGENTD_PROXY_SOCKET="+h.socket(r), "AGENTD_PROXY_TOKEN_FILE="+h.path(r.ServerID, stateDir, proxyToken))
	}
	for name, value := range map[string]string{
		"AGENTD_SMTP_ADDR": h.opt.SMTPAddr, "AGENTD_MAIL_FROM": h.opt.MailFrom,
		"MODEL_BASE_URL": h.opt.Model.BaseURL, "MODEL_NAME": h.opt.Model.Name, "MODEL_EMBEDDINGS": h.opt.Model.Vectors,
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

// maxLog is how large agentd's log may be, in bytes, before a start sets it aside; one older log is kept.
const maxLog = 8 << 20

func (h *Host) openLog(serverID, name string) (*os.File, error) {
	path := h.path(serverID, name)
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// end asks all processes of a server to end, agentd first, then makes them.
func (h *Host) end(ctx context.Context, r record) error {
	return errors.Join(h.endPart(ctx, r, agent), h.endPart(ctx, r, proxy))
}

func (h *Host) endPart(ctx context.Context, r record, part part) error {
	p := *r.process(part)
	if !p.alive() {
		var ok bool
		if p, ok = part.findByName(r.ServerID); !ok {
			return nil
		}
	}
	if err := p.signalAll(unix.SIGTERM); err != nil {
		return err
	}
	soft, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	if gone(soft, p) {
		return nil
	}
	if err := p.signalAll(unix.SIGKILL); err != nil {
		return err
	}
	hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if !gone(hard, p) {
		return fmt.Errorf("%s of %s, pid %d, does not end", part.sub, r.ServerID, p.PID)
	}
	return nil
}
