package receipt

import (
	"context"
	"encoding/json"
	"fmt"

	"gatehouse/agentd/wire"
)

// Hashes gives the hashes of the receipts of those numbers, so that the hub can compare them with what it keeps.
func (l *Log) Hashes(ctx context.Context, p wire.HashesParams) (wire.HashesResult, error) {
	if len(p.Seqs) > wire.MaxHashes {
		return wire.HashesResult{}, &wire.RPCError{Code: "bad_request", Text: "You asked for too many receipts at once. Ask for fewer."}
	}
	seqs, err := json.Marshal(p.Seqs)
	if err != nil {
		return wire.HashesResult{}, fmt.Errorf("read hashes: %w", err)
	}
	rows, err := l.db.Read().QueryContext(ctx, "SELECT seq, hash FROM receipts WHERE seq IN (SELECT value FROM json_each(?))", string(seqs))
	if err != nil {
		return wire.HashesResult{}, fmt.Errorf("read hashes: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	out := wire.HashesResult{Hashes: map[int64]string{}}
	for rows.Next() {
		var seq int64
		var hash string
		if err := rows.Scan(&seq, &hash); err != nil {
			return wire.HashesResult{}, fmt.Errorf("read hashes: %w", err)
		}
		out.Hashes[seq] = hash
	}
	return out, rows.Err()
}
