package config

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"gatehouse/agentd/wire"
)

// textsShown is how many of the newest versions are given with their text.
const textsShown = 20

// RPC answers about rules what needs no calls of the past, and who is inside. Its errors are *wire.RPCError when they may be
// shown.
func (l *Live) RPC(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
	switch m {
	case wire.MethodPermissionsGet:
		return l.permissions(ctx)
	case wire.MethodInsideList:
		return wire.InsideResult{Items: slices.Sorted(maps.Keys(l.State().inside))}, nil
	case wire.MethodPermissionsSet:
		var p wire.PermissionsSet
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, &wire.RPCError{Code: "bad_request", Text: "The request cannot be read."}
		}
		if p.By.Channel == OnServer {
			p.By.Channel = "" // only the machine itself may say so
		}
		return l.setAndShow(ctx, p)
	}
	return nil, &wire.RPCError{Code: "bad_request", Text: fmt.Sprintf("The configuration does not answer %q.", m)}
}

func (l *Live) setAndShow(ctx context.Context, p wire.PermissionsSet) (any, error) {
	var no *wire.RPCError
	err := l.db.Write(ctx, func(tx *sql.Tx) (err error) {
		no, err = l.Set(ctx, tx, p)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case no != nil:
		return nil, no
	}
	return l.permissions(ctx)
}

// permissions gives the rules in force and all that were before.
func (l *Live) permissions(ctx context.Context) (wire.Permissions, error) {
	s := l.State()
	l.mu.RLock()
	out := wire.Permissions{Version: s.rules.version, Text: l.textOf(s), Versions: []wire.PermissionVersion{}, Problem: l.problem}
	l.mu.RUnlock()
	rows, err := l.db.Read().QueryContext(ctx, "SELECT version, text, author, reason, at FROM permission_versions ORDER BY version DESC LIMIT 200")
	if err != nil {
		return out, fmt.Errorf("read permissions: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		v, err := scanVersion(rows)
		if err != nil {
			return out, fmt.Errorf("read permissions: %w", err)
		}
		if len(out.Versions) >= textsShown {
			v.Text = ""
		}
		out.Versions = append(out.Versions, v)
	}
	return out, rows.Err()
}

func (l *Live) textOf(s State) string {
	if s.rules.version > 0 {
		return s.rules.text
	}
	return firstText
}

func scanVersion(rows *sql.Rows) (wire.PermissionVersion, error) {
	var v wire.PermissionVersion
	var by, at string
	if err := rows.Scan(&v.Version, &v.Text, &by, &v.Reason, &at); err != nil {
		return v, err
	}
	if err := json.Unmarshal([]byte(by), &v.By); err != nil {
		return v, err
	}
	var err error
	v.At, err = time.Parse(time.RFC3339Nano, at)
	return v, err
}
