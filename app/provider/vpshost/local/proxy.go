package local

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
)

// The folders and files between agentd and the model proxy, below the server's folder.
const (
	proxyDir   = "proxy"       // the proxy's state: its user's alone
	runDir     = "run"         // holds the socket: agentd passes through
	proxyToken = "proxy.token" // in both state directories: what agentd shows to the proxy
)

// proxyFolders makes what the two share. The token is made once: each of them finds it when it starts again.
func (h *Host) proxyFolders(r record) error {
	for dir, mode := range map[string]fs.FileMode{proxyDir: 0o700, runDir: 0o711} {
		path := h.path(r.ServerID, dir)
		if err := os.MkdirAll(path, mode); err != nil {
			return err
		}
		if err := os.Chmod(path, mode); err != nil {
			return err
		}
		if a := h.userOf(r, proxy); a != nil {
			if err := os.Lchown(path, a.uid, a.gid); err != nil {
				return err
			}
		}
	}
	theirs, err1 := os.ReadFile(h.path(r.ServerID, proxyDir, proxyToken))
	ours, err2 := os.ReadFile(h.path(r.ServerID, stateDir, proxyToken))
	if err1 == nil && err2 == nil && bytes.Equal(theirs, ours) {
		return nil
	}
	token := rand.Text()
	return errors.Join(
		h.writeOwned(h.path(r.ServerID, proxyDir, proxyToken), token, h.userOf(r, proxy)),
		h.writeSecret(r, proxyToken, token),
	)
}

// writeModelKey puts the model's key where the proxy takes it into its vault; an empty one takes an old one out of use.
// agentd never has it: one that an earlier version left in its state goes.
func (h *Host) writeModelKey(r record) error {
	path := h.path(r.ServerID, proxyDir, keyFile)
	if err := os.Remove(h.path(r.ServerID, stateDir, keyFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return h.writeOwned(path, h.opt.Model.Key, h.userOf(r, proxy))
}
