package external

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
)

// current is the newest version of a secret, as its metadata has it.
type current struct {
	version int
	made    time.Time
}

// versionAnswer is what both answers say of a version.
type versionAnswer struct {
	Created   string `json:"created_time"`
	Deletion  string `json:"deletion_time"` // empty, or when it was or will be deleted
	Destroyed bool   `json:"destroyed"`
	Version   int    `json:"version"` // of data alone
}

// metadata asks which version is current: GET /:mount/metadata/:path. There is no value in the answer.
func (c *client) metadata(ctx context.Context, token secret.Value, mount, path string, now time.Time) (current, error) {
	var in struct {
		Data struct {
			Current  int                      `json:"current_version"`
			Versions map[string]versionAnswer `json:"versions"`
		} `json:"data"`
	}
	if err := c.ask(ctx, http.MethodGet, escaped(mount)+"/metadata/"+escaped(path), token, nil, &in); err != nil {
		return current{}, err
	}
	n := in.Data.Current
	v, ok := in.Data.Versions[strconv.Itoa(n)]
	switch {
	case n == 0 && in.Data.Versions != nil && len(in.Data.Versions) == 0:
		return current{}, &Error{Trouble: vault.TroubleMissing} // it has metadata, and never had a value
	case n <= 0 || !ok:
		return current{}, &Error{Trouble: vault.TroubleAnswer}
	}
	made, err := v.stands(now)
	return current{n, made}, err
}

// stands says since when a version is there, or that it is not anymore.
func (v versionAnswer) stands(now time.Time) (time.Time, error) {
	made, err := time.Parse(time.RFC3339Nano, v.Created)
	if err != nil || made.IsZero() {
		return made, &Error{Trouble: vault.TroubleAnswer}
	}
	if v.Destroyed {
		return made, &Error{Trouble: vault.TroubleDestroyed}
	}
	if v.Deletion == "" {
		return made, nil
	}
	ends, err := time.Parse(time.RFC3339Nano, v.Deletion)
	switch {
	case err != nil:
		return made, &Error{Trouble: vault.TroubleAnswer}
	case !now.Before(ends):
		return made, &Error{Trouble: vault.TroubleDeleted}
	}
	return made, nil
}

// data asks for the fields of one version: GET /:mount/data/:path?version=N. One that was deleted meanwhile answers 404.
func (c *client) data(ctx context.Context, token secret.Value, mount, path string, at current) (fields, error) {
	var in struct {
		Data struct {
			Data     fields        `json:"data"`
			Metadata versionAnswer `json:"metadata"`
		} `json:"data"`
	}
	where := fmt.Sprintf("%s/data/%s?version=%d", escaped(mount), escaped(path), at.version)
	if err := c.ask(ctx, http.MethodGet, where, token, nil, &in); err != nil {
		return nil, err
	}
	made, err := time.Parse(time.RFC3339Nano, in.Data.Metadata.Created)
	if err != nil || in.Data.Metadata.Version != at.version || !made.Equal(at.made) || in.Data.Data == nil {
		return nil, &Error{Trouble: vault.TroubleAnswer} // another version than the metadata spoke of
	}
	return in.Data.Data, nil
}

// fields are what a version holds.
type fields map[string]json.RawMessage

// text is the text of a field.
func (f fields) text(name string) (secret.Value, error) {
	var s *string
	if err := json.Unmarshal(f[name], &s); err != nil || s == nil || *s == "" {
		return secret.Value{}, &Error{Trouble: vault.TroubleField}
	}
	return secret.New(*s), nil
}
