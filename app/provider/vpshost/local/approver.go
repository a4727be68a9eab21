package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"gatehouse/agentd/wire"
)

// Files of agentd about approver keys, below stateDir.
const (
	recoveryFile = "approver.recovery" // the code for when all keys are lost
	seedFile     = "approver.seed"     // the key that its first start takes
)

// Codes are what the owner of a server needs to become its approver. They pass no hub: the machine prints them.
type Codes struct {
	ServerID string
	Slug     string
	Enrol    string // enrols one key; empty where the browser that ordered has one
	Recovery string // enrols one key when all others are lost; empty where that browser gets it
}

// seed leaves the owner's first key for the first start of agentd.
func (h *Host) seed(serverID, seed string) (record, error) {
	unlock, err := lock(h.path(serverID, "lock"))
	if err != nil {
		return record{}, fmt.Errorf("seed %s: %w", serverID, err)
	}
	defer unlock()
	r, err := h.record(serverID)
	if err != nil {
		return r, fmt.Errorf("seed %s: %w", serverID, err)
	}
	if r.Seeded || !r.StartedAt.IsZero() {
		return r, nil
	}
	if err := h.writeSecret(r, seedFile, seed); err != nil {
		return r, fmt.Errorf("seed %s: %w", serverID, err)
	}
	var first wire.Seed
	// Before the first start: what that has taken is never left again. What cannot be read, agentd refuses.
	r.Seeded, r.Sealed = true, json.Unmarshal([]byte(seed), &first) == nil && first.Box != nil
	return r, h.save(r)
}

// printCodes makes the codes of a new server, before its agentd runs for the first time, and shows them on the machine's
// terminal.
func (h *Host) printCodes(ctx context.Context, r record) error {
	if h.opt.Print == nil || r.Sealed || !r.StartedAt.IsZero() {
		return nil
	}
	if _, err := os.Stat(h.path(r.ServerID, stateDir, recoveryFile)); err == nil {
		return nil
	}
	enrol := ""
	if !r.Seeded {
		var err error
		if enrol, err = h.EnrolCode(ctx, r.ServerID, ""); err != nil {
			return err
		}
	}
	recovery, err := h.RecoveryCode(ctx, r.ServerID)
	if err != nil {
		return err
	}
	h.opt.Print(Codes{ServerID: r.ServerID, Slug: r.Slug, Enrol: enrol, Recovery: recovery})
	return nil
}

// EnrolCode has agentd make a code that enrols one approver key. Once the server has keys, key is the private half of
// one of them (PEM), which vouches for the code.
func (h *Host) EnrolCode(ctx context.Context, serverID, key string) (string, error) {
	if key == "" {
		return h.agentd(ctx, serverID, "", "approver", "code")
	}
	return h.agentd(ctx, serverID, key, "approver", "code", "--key", "-")
}

// RecoveryCode has agentd make a new recovery code.
func (h *Host) RecoveryCode(ctx context.Context, serverID string) (string, error) {
	return h.agentd(ctx, serverID, "", "approver", "recovery")
}

// agentd runs a command of agentd on a server's state, as the user of that server, and gives what it prints.
func (h *Host) agentd(ctx context.Context, serverID, in string, args ...string) (string, error) {
	r, err := h.record(serverID)
	if err != nil {
		return "", fmt.Errorf("agentd %s: %w", strings.Join(args, " "), err)
	}
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(ctx, h.opt.Bin, args...)
	cmd.Dir = h.path(serverID, stateDir)
	cmd.Env = h.environ(r)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &errOut
	if h.account != nil {
		a := h.account(r.Slot)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}}
	}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("agentd %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errOut.String()))
	}
	if out.Len() == 0 {
		return "", errors.New("agentd " + strings.Join(args, " ") + ": it printed nothing")
	}
	return strings.TrimSpace(out.String()), nil
}
