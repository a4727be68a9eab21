package receipt

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// AnchorFile holds a copy of every checkpoint, one JSON object a line, in the state directory.
const AnchorFile = "anchors.jsonl"

func appendAnchor(dir string, c wire.Checkpoint) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, AnchorFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// Anchors reads the checkpoints that lie beside the database. A last line that was cut short by a crash is skipped.
func Anchors(dir string) ([]wire.Checkpoint, error) {
	f, err := os.Open(filepath.Join(dir, AnchorFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read anchors: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	var all []wire.Checkpoint
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c wire.Checkpoint
		if err := json.Unmarshal(lines.Bytes(), &c); err == nil {
			all = append(all, c)
		}
	}
	return all, nil
}

// Checkpoints reads the checkpoints that the database holds.
func Checkpoints(ctx context.Context, db *store.Reader) ([]wire.Checkpoint, error) {
	rows, err := db.QueryContext(ctx, "SELECT seq, hash, prev_seq, prev_hash, time, key_id, signature FROM checkpoints ORDER BY seq")
	if err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	var all []wire.Checkpoint
	for rows.Next() {
		var c wire.Checkpoint
		var at string
		if err := rows.Scan(&c.Seq, &c.Hash, &c.PrevSeq, &c.PrevHash, &at, &c.KeyID, &c.Signature); err != nil {
			return nil, fmt.Errorf("read checkpoints: %w", err)
		}
		if c.Time, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return nil, &Broken{Seq: c.Seq, Why: "its checkpoint has no readable time"}
		}
		all = append(all, c)
	}
	return all, rows.Err()
}

// Held checks that the log still holds what each checkpoint signed: the record is there with that hash, and the
// signature is the server's. pub may be nil when the key is not at hand; then signatures are not looked at.
func Held(ctx context.Context, db *store.Reader, serverID string, pub ed25519.PublicKey, anchors []wire.Checkpoint) error {
	for _, c := range anchors {
		var hash string
		err := db.QueryRowContext(ctx, "SELECT hash FROM receipts WHERE seq = ?", c.Seq).Scan(&hash)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return &Broken{Seq: c.Seq, Why: "is missing although a checkpoint covers it"}
		case err != nil:
			return fmt.Errorf("read receipt %d: %w", c.Seq, err)
		case hash != c.Hash:
			return &Broken{Seq: c.Seq, Why: "is not the record that its checkpoint signed"}
		case pub != nil && !signed(serverID, pub, c):
			return &Broken{Seq: c.Seq, Why: "has a checkpoint whose signature does not verify"}
		}
	}
	return nil
}

func signed(serverID string, pub ed25519.PublicKey, c wire.Checkpoint) bool {
	sig, err := base64.RawURLEncoding.DecodeString(c.Signature)
	return err == nil && ed25519.Verify(pub, wire.CheckpointText(serverID, c), sig)
}
