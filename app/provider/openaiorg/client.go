package openaiorg

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gatehouse/app/modelkey"
)

// Options are how the organization is reached.
type Options struct {
	URL     string // of the API with its version; empty: OpenAI's own
	Key     string // an admin key of the organization; empty: no keys are made
	Project string // in which keys are made
}

// Client asks. It is modelkey.Provider.
type Client struct {
	opt  Options
	http *http.Client
}

var _ modelkey.Provider = (*Client)(nil)

const (
	usual     = "https://api.openai.com/v1"
	wait      = 15 * time.Second
	maxAnswer = 4 << 20
	maxPages  = 200
	perPage   = 100
	hours     = 168 // that one page of usage may hold
)

// New makes a Client. Nothing is asked before it is used.
func New(opt Options) *Client {
	if opt.URL = strings.TrimSuffix(opt.URL, "/"); opt.URL == "" {
		opt.URL = usual
	}
	return &Client{opt: opt, http: &http.Client{
		Timeout: wait, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Ready says whether an admin key and a project are set.
func (c *Client) Ready() bool { return c.opt.Key != "" && c.opt.Project != "" }

// account is a service account. Its key has a value in the answer that made it, and never again.
type account struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Key  struct {
		ID    string `json:"id"`
		Value string `json:"value"`
	} `json:"api_key"`
}

func (c *Client) accounts() string {
	return "/organization/projects/" + url.PathEscape(c.opt.Project) + "/service_accounts"
}

// Make makes a service account with its key. One of the name that a try before has left is deleted first.
func (c *Client) Make(ctx context.Context, name string) (modelkey.Key, error) {
	left, err := c.named(ctx, name)
	if err != nil {
		return modelkey.Key{}, err
	}
	for _, id := range left {
		if err := c.End(ctx, id); err != nil {
			return modelkey.Key{}, err
		}
	}
	var a account
	if err := c.ask(ctx, http.MethodPost, c.accounts(), map[string]string{"name": name}, &a); err != nil {
		return modelkey.Key{}, err
	}
	if a.ID == "" || a.Key.ID == "" || a.Key.Value == "" {
		return modelkey.Key{}, errors.New("openai: the answer to a new service account holds no key")
	}
	return modelkey.Key{ID: a.Key.ID, Account: a.ID, Secret: a.Key.Value}, nil
}

// named lists the service accounts of a name.
func (c *Client) named(ctx context.Context, name string) (ids []string, err error) {
	ask := url.Values{"limit": {strconv.Itoa(perPage)}}
	for range maxPages {
		var page struct {
			Data    []account `json:"data"`
			LastID  string    `json:"last_id"`
			HasMore bool      `json:"has_more"`
		}
		if err := c.ask(ctx, http.MethodGet, c.accounts()+"?"+ask.Encode(), nil, &page); err != nil {
			return nil, err
		}
		for _, a := range page.Data {
			if a.Name == name {
				ids = append(ids, a.ID)
			}
		}
		if !page.HasMore || page.LastID == "" {
			return ids, nil
		}
		ask.Set("after", page.LastID)
	}
	return nil, errors.New("openai: the list of service accounts does not end")
}

// End deletes a service account, and its key with it.
func (c *Client) End(ctx context.Context, id string) error {
	err := c.ask(ctx, http.MethodDelete, c.accounts()+"/"+url.PathEscape(id), nil, nil)
	var s *statusError
	if errors.As(err, &s) && s.status == http.StatusNotFound {
		return nil
	}
	return err
}

// Count adds up what a key used for answers and for vectors, hour by hour.
func (c *Client) Count(ctx context.Context, id string, from, to time.Time) ([]modelkey.Hour, error) {
	var all []modelkey.Hour
	for _, kind := range []string{"completions", "embeddings"} {
		some, err := c.used(ctx, kind, id, from, to)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// bucket is an hour of usage. Input tokens include those of a cache.
type bucket struct {
	Start   int64 `json:"start_time"`
	Results []struct {
		Input  int64  `json:"input_tokens"`
		Output int64  `json:"output_tokens"`
		KeyID  string `json:"api_key_id"`
	} `json:"results"`
}

func (c *Client) used(ctx context.Context, kind, id string, from, to time.Time) (all []modelkey.Hour, err error) {
	ask := url.Values{
		"start_time": {strconv.FormatInt(from.Unix(), 10)}, "end_time": {strconv.FormatInt(to.Unix(), 10)}, "bucket_width": {"1h"},
		"api_key_ids": {id}, "group_by": {"api_key_id"}, "limit": {strconv.Itoa(hours)},
	}
	for range maxPages {
		var page struct {
			Data    []bucket `json:"data"`
			HasMore bool     `json:"has_more"`
			Next    string   `json:"next_page"`
		}
		if err := c.ask(ctx, http.MethodGet, "/organization/usage/"+kind+"?"+ask.Encode(), nil, &page); err != nil {
			return nil, err
		}
		for _, b := range page.Data {
			for _, r := range b.Results {
				if r.KeyID != id || r.Input < 0 || r.Output < 0 {
					return nil, fmt.Errorf("openai: usage of another key, or less than nothing, in the answer about %s", kind)
				}
				all = append(all, modelkey.Hour{Start: time.Unix(b.Start, 0).UTC(), Input: r.Input, Output: r.Output})
			}
		}
		if !page.HasMore {
			return all, nil
		}
		if page.Next == "" || page.Next == ask.Get("page") {
			break
		}
		ask.Set("page", page.Next)
	}
	return nil, errors.New("openai: the list of usage does not end")
}

// statusError is an answer that is no success. What it says stays out: it may name the key.
type statusError struct {
	what   string
	status int
}

func (e *statusError) Error() string { return fmt.Sprintf("openai: %s: HTTP %d", e.what, e.status) }

func (c *Client) ask(ctx context.Context, method, path string, send, into any) error {
	var body io.Reader
	if send != nil {
		raw, err := json.Marshal(send)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	what, _, _ := strings.Cut(method+" "+path, "?")
	req, err := http.NewRequestWithContext(ctx, method, c.opt.URL+path, body)
	if err != nil {
		return fmt.Errorf("openai: %s: %w", what, err)
	}
	req.Header.Set("Authorization", "Bearer "+c.opt.Key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("openai: %s: %w", what, errors.Unwrap(err))
	}
	defer func() { _ = resp.Body.Close() }() // it was read, or is not wanted
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return &statusError{what, resp.StatusCode}
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil || len(raw) > maxAnswer {
		return fmt.Errorf("openai: %s: answer of %d bytes: %w", what, len(raw), errors.Join(err, io.ErrShortBuffer))
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("openai: %s: answer cannot be read", what)
	}
	return nil
}
