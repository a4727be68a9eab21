package desk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

// keptVersions is how many texts of one file are kept.
const keptVersions = 50

var (
	errFile      = &wire.RPCError{Code: "bad_request", Text: "No agent has a file of this name."}
	errNoVersion = &wire.RPCError{Code: "not_found", Text: "This version of the file is not kept any more."}
)

// remember keeps the texts that an act changes, as they are now and as they will be, in the transaction that keeps the act.
func (d *Desk) remember(tx *sql.Tx, c wire.TeamChange, s step) error {
	for _, name := range team.FileNames {
		now, is := s.was[name]
		next := s.files[name]
		if now == next {
			continue
		}
		newest, known, err := d.newest(tx, c.Act.Agent, name)
		if err != nil {
			return err
		}
		if is && (!known || newest != now) {
			if err := d.put(tx, c.Act.Agent, name, now, "", ""); err != nil {
				return err
			}
		}
		if err := d.put(tx, c.Act.Agent, name, next, c.Act.ID, c.By.Name); err != nil {
			return err
		}
		if err := d.prune(tx, c.Act.Agent, name); err != nil {
			return err
		}
	}
	return nil
}

func (d *Desk) newest(tx *sql.Tx, agent, file string) (text string, known bool, err error) {
	const query = "SELECT text FROM team_files WHERE agent = ? AND file = ? ORDER BY seq DESC LIMIT 1"
	err = d.d.Store.QueryRow(tx, query, agent, file).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read versions of a file of an agent: %w", err)
	}
	return text, true, nil
}

func (d *Desk) put(tx *sql.Tx, agent, file, text, act, by string) error {
	_, err := d.d.Store.Exec(tx, "INSERT INTO team_files (agent, file, text, act, by_name, at) VALUES (?, ?, ?, ?, ?, ?)",
		agent, file, text, act, by, d.d.Now().UnixMicro())
	if err != nil {
		return fmt.Errorf("keep a version of a file of an agent: %w", err)
	}
	return nil
}

func (d *Desk) prune(tx *sql.Tx, agent, file string) error {
	_, err := d.d.Store.Exec(tx, `DELETE FROM team_files WHERE agent = ? AND file = ? AND seq NOT IN
		(SELECT seq FROM team_files WHERE agent = ? AND file = ? ORDER BY seq DESC LIMIT ?)`, agent, file, agent, file, keptVersions)
	if err != nil {
		return fmt.Errorf("prune versions of a file of an agent: %w", err)
	}
	return nil
}

// history lists the versions of a file that are kept, and gives the text of one of them.
func (d *Desk) history(ctx context.Context, p wire.TeamHistoryParams) (wire.TeamHistory, error) {
	out := wire.TeamHistory{Items: []wire.TeamVersion{}}
	if !slices.Contains(team.FileNames, p.File) {
		return out, errFile
	}
	state, files, err := d.stands(p.Agent)
	if state == wire.TeamWaiting {
		return out, errNoAgent
	}
	now, is := files[p.File]
	is = is && err == nil // what cannot be read is none of them
	found := false
	err = d.versions(ctx, p, func(v wire.TeamVersion, text string) {
		v.Now = is && text == now
		is = is && !v.Now // the newest with this text
		if v.Version == p.Version {
			tell(&out, p.File, text)
			found = true
		}
		out.Items = append(out.Items, v)
	})
	if err == nil && p.Version != 0 && !found {
		err = errNoVersion
	}
	return out, err
}

// versions goes through what is kept of a file, the newest first.
func (d *Desk) versions(ctx context.Context, p wire.TeamHistoryParams, each func(v wire.TeamVersion, text string)) error {
	rows, err := d.d.Store.Read().QueryContext(ctx, `SELECT f.seq, f.text, f.by_name, f.at, coalesce(a.do, '') FROM team_files f
		LEFT JOIN team_acts a ON a.id = f.act WHERE f.agent = ? AND f.file = ? ORDER BY f.seq DESC`, p.Agent, p.File)
	if err != nil {
		return fmt.Errorf("read versions of a file of an agent: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var v wire.TeamVersion
		var text string
		var at int64
		if err := rows.Scan(&v.Version, &text, &v.By, &at, &v.Do); err != nil {
			return fmt.Errorf("read versions of a file of an agent: %w", err)
		}
		v.At = time.UnixMicro(at).UTC()
		each(v, text)
	}
	return rows.Err()
}

// tell gives the text of one version, and what it says when it is a description.
func tell(h *wire.TeamHistory, file, text string) {
	h.Text = redact.Text(text)
	if file != wire.TeamDescriptor {
		return
	}
	if about, err := team.AboutOf(team.Files{file: h.Text}); err == nil {
		h.About = &about
	}
}
