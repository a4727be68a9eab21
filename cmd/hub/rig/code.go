package rig

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// EnrolCode has the demo's server print a code that enrols one more approver key, as the operator does: the demo's key
// vouches for it.
func (h *Hub) EnrolCode() (string, error) {
	state := filepath.Join(h.Dir, "servers", h.Demo.ServerID, "state")
	var out, errOut bytes.Buffer
	cmd := exec.Command(filepath.Join(h.bin, "agentd"), "approver", "code", "--state", state, "--key", "-") //nolint:noctx // it ends by itself
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(h.Demo.Approver.PrivateKeyPEM), &out, &errOut
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	st, err := os.Stat(state)
	if err != nil {
		return "", err
	}
	if owner, ok := st.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("agentd approver code: %w: %s", err, errOut.String())
	}
	return strings.TrimSpace(out.String()), nil
}
