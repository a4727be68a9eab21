package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// content knows what files hold now. It reads each once.
type content struct {
	files  *Files
	hashes map[string]string
}

// later says whether what a change left was changed again. What cannot be told counts as changed. Nothing takes the place of
// what was deleted: whatever stands there refuses that it is put back.
func (c *content) later(ctx context.Context, v change) bool {
	if v.Did == wire.FileDeleted || v.left != "" && v.left == c.files.present(v.Path) {
		return false
	}
	now := c.hash(ctx, v.Path)
	return now == "" || now != v.after
}

// hash is the hex SHA-256 of a file; empty for none, and for one that is larger than agents write.
func (c *content) hash(ctx context.Context, rel string) string {
	if known, ok := c.hashes[rel]; ok {
		return known
	}
	if c.hashes == nil {
		c.hashes = map[string]string{}
	}
	c.hashes[rel] = c.files.hashOf(ctx, rel)
	return c.hashes[rel]
}

func (f *Files) hashOf(ctx context.Context, rel string) string {
	if ctx.Err() != nil {
		return ""
	}
	file, info, err := f.d.Root.Open(rel)
	if err != nil {
		return ""
	}
	defer file.Close()
	sum := sha256.New()
	if n, err := io.Copy(sum, io.LimitReader(file, policy.MaxFile+1)); err != nil || n != info.Size() {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}
