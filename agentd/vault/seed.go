package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gatehouse/agentd/failpoint"
)

// SeedFile is the file of credentials that provisioning leaves in the state directory. While it is being shredded it
// has another name, under which nobody reads it.
const (
	SeedFile = "credentials.env"
	seeded   = SeedFile + ".seeded"
)

// Seed takes the file of credentials into the vault, all of it or nothing, and shreds it. Killed at any moment, it
// comes to the same end the next time. Without a file, it takes nothing.
func (v *Vault) Seed(ctx context.Context) (Taken, error) {
	dir := v.keys.Dir
	if err := shredSeeded(dir); err != nil {
		return Taken{}, err
	}
	path := filepath.Join(dir, SeedFile)
	raw, err := readPrivate(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Taken{}, nil
	}
	if err != nil {
		return Taken{}, fmt.Errorf("seed vault: %w", err)
	}
	got, err := v.Import(ctx, raw, FromProvisioning, "provisioning", SeedFile)
	if err != nil {
		return Taken{}, fmt.Errorf("seed vault from %s: %w", path, err)
	}
	failpoint.Hit("vault-seed-committed")
	if err := os.Rename(path, filepath.Join(dir, seeded)); err != nil {
		return got, fmt.Errorf("seed vault: %w", err)
	}
	if err := syncDir(dir); err != nil {
		return got, err
	}
	failpoint.Hit("vault-seed-renamed")
	return got, shredSeeded(dir)
}

func shredSeeded(dir string) error {
	err := Shred(filepath.Join(dir, seeded))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Taken is what came of a file of credentials.
type Taken struct {
	New   int      // values that were not there before
	Short []string // names whose values in the file are Short, in its order
}

// Import takes lines of NAME=value into the vault, all or nothing. A value that the secret has, or had before, is not
// taken again: a file that comes twice never puts an older value in place of a newer one.
func (v *Vault) Import(ctx context.Context, raw []byte, source, by, what string) (Taken, error) {
	pairs, err := parseEnv(raw)
	if err != nil {
		return Taken{}, err
	}
	n := 0
	err = v.change(ctx, func(s *snapshot, now time.Time) (notes []entry, err error) {
		n = 0
		for _, p := range pairs {
			had, err := s.had(p)
			if err != nil {
				return nil, err
			}
			if had {
				continue
			}
			note, err := s.take(p, source, now)
			if err != nil {
				return nil, err
			}
			if note.act != actRefuse {
				n++
			}
			note.by, note.purpose = by, what
			notes = append(notes, note)
		}
		return notes, nil
	})
	if err != nil {
		return Taken{}, err
	}
	return Taken{New: n, Short: short(pairs)}, nil
}

// short names the values that are Short.
func short(pairs []pair) (names []string) {
	for _, p := range pairs {
		if Short(p.value) {
			names = append(names, p.name)
		}
	}
	return names
}

// take makes a value the current one. What provisioning leaves for a secret that comes from the external vault is kept for
// redaction alone: nobody is there who could be told, and agentd must start.
func (s *snapshot) take(p pair, source string, now time.Time) (entry, error) {
	r := s.rows[p.name]
	if source == FromProvisioning && r != nil && r.meta.Origin != nil {
		ver, err := s.add(r, p.value, source, now)
		return entry{name: p.name, version: ver, act: actRefuse}, err
	}
	r, ver, err := s.put(New{Name: p.name, Value: p.value, Source: source}, now)
	if err != nil {
		return entry{}, err
	}
	r.meta.Versions[len(r.meta.Versions)-1].Filed = true
	if source == FromProvisioning {
		return entry{name: p.name, version: ver, act: actSeed}, nil
	}
	return entry{name: p.name, version: ver, act: actImport}, nil
}

// had says whether a secret has or had this value.
func (s *snapshot) had(p pair) (bool, error) {
	r := s.rows[p.name]
	if r == nil {
		return false, nil
	}
	for _, ver := range r.versions {
		val, err := s.value(r, ver.n)
		if err != nil || val.Reveal() == p.value.Reveal() {
			return err == nil, err
		}
	}
	return false, nil
}
