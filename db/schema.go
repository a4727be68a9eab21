package db

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"gatehouse/migrations"
)

// Migration is one file that data was made with.
type Migration struct {
	Version  int    `json:"version"`
	Name     string `json:"name"`
	Checksum string `json:"checksum"` // hex SHA-256 of the file
}

// MadeWith lists the migrations that the data of conn was made with, and the version of its queue's tables.
func MadeWith(ctx context.Context, conn *pgx.Conn) (made []Migration, queue int, err error) {
	done, err := appliedSteps(ctx, conn)
	if err != nil {
		return nil, 0, err
	}
	for _, v := range slices.Sorted(maps.Keys(done)) {
		made = append(made, Migration{Version: v, Name: done[v].name, Checksum: done[v].checksum})
	}
	if len(made) == 0 {
		return nil, 0, nil
	}
	err = conn.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM river_migration").Scan(&queue)
	return made, queue, err
}

// Knows says whether this program can work with data that was made with these: ErrNewer when it is too old for them, ErrEdited
// when they are of another program.
func Knows(made []Migration, queue int) error {
	steps, err := readSteps(migrations.Files)
	if err != nil {
		return err
	}
	done := map[int]step{}
	for _, m := range made {
		done[m.Version] = step{version: m.Version, name: m.Name, checksum: m.Checksum}
	}
	if _, err := pending(steps, done); err != nil {
		return err
	}
	m, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		return err
	}
	all := m.AllVersions()
	if known := all[len(all)-1].Version; queue > known {
		return fmt.Errorf("%w: its queue stands at version %d, this program knows up to %d", ErrNewer, queue, known)
	}
	return nil
}
