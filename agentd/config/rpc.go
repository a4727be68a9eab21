package config

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"gatehouse/agentd/rpc"
	"gatehouse/agentd/wire"
)

// How many of the newest versions pages get, and how many of them with their text.
const versionsShown, textsShown = 200, 20

// Methods answers questions about the rules that need no past calls, and about who is inside. Its errors are *wire.RPCError
// when they may be shown.
func (l *Live) Methods() rpc.Methods {
	return rpc.Methods{
		wire.MethodPermissionsGet: rpc.With(rpc.Params{Unreadable: "The request could not be read.", Optional: true}, l.get),
		wire.MethodPermissionsSet: rpc.With(rpc.Params{Unreadable: "The request could not be read."}, l.setAndShow),
		wire.MethodInsideList:     rpc.Without(l.insiders),
	}
}

func (l *Live) insiders(context.Context) (wire.InsideResult, error) {
	return wire.InsideResult{Items: slices.Sorted(maps.Keys(l.State().inside))}, nil
}

// setAndShow puts rules in force that came over the link, and gives them back.
func (l *Live) setAndShow(ctx context.Context, p wire.PermissionsSet) (wire.Permissions, error) {
	if p.By.Channel == OnServer {
		p.By.Channel = "" // only the machine itself may say so
	}
	var no *wire.RPCError
	err := l.db.Write(ctx, func(tx *sql.Tx) (err error) {
		no, err = l.Set(ctx, tx, p)
		return err
	})
	switch {
	case err != nil:
		return wire.Permissions{}, err
	case no != nil:
		return wire.Permissions{}, no
	}
	return l.permissions(ctx, false)
}

func (l *Live) get(ctx context.Context, p wire.PermissionsGet) (wire.Permissions, error) {
	return l.permissions(ctx, p.All)
}

// permissions gives the rules in force and those before: all of them with their texts, or the newest as pages show them.
func (l *Live) permissions(ctx context.Context, all bool) (wire.Permissions, error) {
	most := versionsShown
	if all {
		most = -1 // no limit
	}
	s := l.State()
	l.mu.RLock()
	out := wire.Permissions{Version: s.rules.version, Text: l.textOf(s), Versions: []wire.PermissionVersion{}, Problem: l.problem}
	l.mu.RUnlock()
	rows, err := l.db.Read().QueryContext(ctx, "SELECT version, text, author, reason, at FROM permission_versions ORDER BY version DESC LIMIT ?", most)
	if err != nil {
		return out, fmt.Errorf("read permissions: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		v, err := scanVersion(rows)
		if err != nil {
			return out, fmt.Errorf("read permissions: %w", err)
		}
		if !all && len(out.Versions) >= textsShown {
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
