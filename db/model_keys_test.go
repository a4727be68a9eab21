package db_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/modelkey"
	"gatehouse/db"
)

// TestModelKeys: a server has one key, whoever came first. Its secret stands nowhere in the clear, and is gone once the key was ended.
func TestModelKeys(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	keys, err := db.OpenKeyring(filepath.Join(t.TempDir(), "key"))
	must(t, err)
	s := &db.ModelKeys{DB: d, Keys: keys}
	_, srv := withServer(t, d)
	away := errors.New("away")
	fails := func(context.Context) (modelkey.Key, error) { return modelkey.Key{}, away }
	if _, err := s.Ensure(t.Context(), srv.ID, fails); !errors.Is(err, away) {
		t.Errorf("the provider is away: %v", err)
	}
	hour := t0.Truncate(time.Hour)
	first := modelkey.Key{Server: srv.ID, ID: "key_1", Account: "svc_1", Secret: "sk-standin-1", MadeAt: t0, Since: hour}
	var made atomic.Int64
	var workers errgroup.Group
	for range 8 {
		workers.Go(func() error {
			got, err := s.Ensure(t.Context(), srv.ID, func(context.Context) (modelkey.Key, error) {
				if made.Add(1) > 1 {
					return modelkey.Key{}, errors.New("made twice")
				}
				return first, nil
			})
			if err == nil && (got.ID != first.ID || got.Secret != first.Secret) {
				err = fmt.Errorf("%+v", got)
			}
			return err
		})
	}
	must(t, workers.Wait())
	var raw string
	must(t, d.NewRaw("SELECT model_keys::text FROM model_keys").Scan(t.Context(), &raw))
	if strings.Contains(raw, "standin") {
		t.Error("the secret stands in the table")
	}
	for _, c := range [][2]string{{"", ""}, {"output -1", "output -1"}, {"", "output -1"}, {"output -2", "output -2"}} {
		must(t, s.Compared(t.Context(), srv.ID, hour.Add(time.Hour), c[0], t0))
		var told string
		must(t, d.NewRaw("SELECT off FROM model_keys").Scan(t.Context(), &told))
		if told != c[1] {
			t.Errorf("after %q the last that was told is %q", c[0], told)
		}
	}
	all, err := s.All(t.Context())
	if err != nil || len(all) != 1 || all[0].Secret != "" || !all[0].Since.Equal(hour.Add(time.Hour)) {
		t.Errorf("in use: %+v, %v", all, err)
	}
	if left, err := s.Left(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("left: %+v, %v", left, err)
	}
	must(t, s.Ended(t.Context(), srv.ID, t0))
	if all, err = s.All(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("after its end: %+v, %v", all, err)
	}
	another := func(context.Context) (modelkey.Key, error) { return first, nil }
	if k, err := s.Ensure(t.Context(), srv.ID, another); err == nil {
		t.Errorf("a server that was cut off for good has a key again: %+v", k)
	}
}

// TestUsage_house: what was used with the operator's key is added up by the hour, with what a cache gave and took, over all
// epochs; an hour of which some was estimated says so.
func TestUsage_house(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	_, srv := withServer(t, d)
	hour := t0.UTC().Truncate(time.Hour)
	for i, row := range []struct {
		epoch, key string
		at         time.Time
	}{{"a", "house", hour}, {"b", "house", hour}, {"a", "own", hour}, {"a", wire.KeyLocal, hour}, {"a", "house", hour.Add(time.Hour)}} {
		_, err := d.ExecContext(t.Context(), `INSERT INTO usage_buckets (server_id, epoch, hour, agent, parent, model, profile, key,
			customer_id, revision, requests, estimated, input, output, cache_read, cache_write, est_input, est_output, searches, fetches)
			VALUES (?, ?, ?, 'a', '', 'm', 'p', ?, ?, ?, 1, 0, 10, 5, 3, 2, 0, ?, 0, 0)`,
			srv.ID, row.epoch, row.at, row.key, srv.CustomerID, i+1, i/4)
		must(t, err)
	}
	all, err := (&db.Usage{DB: d}).House(t.Context(), srv.ID, hour, hour.Add(2*time.Hour))
	want := []modelkey.Hour{{Start: hour, Input: 30, Output: 10}, {Start: hour.Add(time.Hour), Input: 15, Output: 5, Estimated: true}}
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("%+v, %v", all, err)
	}
}
