package whatsapp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gatehouse/agentd/channel"
)

// attached has a file fetched when it is known that its sender may write, and gives the text beside it.
func (p *Phone) attached(m *channel.Inbound, a media) string {
	files := channel.Fetcher{First: againAfter, Gone: errGone, After: retryAfter}
	m.Fetch = files.All(1, func(ctx context.Context, _ int) (channel.File, error) {
		api, err := p.open(ctx)
		if err != nil {
			return channel.File{}, err
		}
		return api.fetch(ctx, a)
	})
	return a.Caption
}

// fetchWithin is how long a file may take.
const fetchWithin = 2 * time.Minute

// againAfter is the wait before a file is asked for once more.
var againAfter = time.Second

var (
	errLarge = &channel.LeftOut{Text: fmt.Sprintf("An attached file was left out, because it is larger than %d MB.", maxFile>>20)}
	errGone  = &channel.LeftOut{Text: "An attached file was left out, because WhatsApp did not give it."}
	errType  = &channel.LeftOut{Text: "An attached file was left out, because its type is not one that people send by WhatsApp."}
)

// mayKeep says whether files of a type are fetched: what people send to be looked at, and no programs.
func mayKeep(kind string) bool {
	kind, _, err := mime.ParseMediaType(kind)
	top, sub, _ := strings.Cut(kind, "/")
	switch {
	case err != nil:
		return false
	case top == "image", top == "audio", top == "video", top == "text":
		return true
	case top != "application":
		return false
	}
	switch sub {
	case "pdf", "json", "zip", "rtf", "msword":
		return true
	}
	return strings.HasPrefix(sub, "vnd.") // those of offices
}

// fetch gets a file: first where it lies, then the file. What Meta says of its size is not believed.
func (c *client) fetch(ctx context.Context, a media) (channel.File, error) {
	var at struct {
		URL  string `json:"url"`
		Kind string `json:"mime_type"`
		Size int64  `json:"file_size"`
	}
	if !isNumber(a.ID) {
		return channel.File{}, errGone
	}
	err := c.call(ctx, http.MethodGet, a.ID, url.Values{"phone_number_id": {c.phone}}, nil, &at)
	var no *refusal
	switch {
	case errors.As(err, &no) && no.status < 500 && !isWait(no):
		return channel.File{}, errGone
	case err != nil:
		return channel.File{}, err
	case !mayKeep(at.Kind):
		return channel.File{}, errType
	case at.Size > maxFile:
		return channel.File{}, errLarge
	case !c.keepsFiles(at.URL):
		return channel.File{}, errGone
	}
	data, err := c.download(ctx, at.URL)
	return channel.File{Name: channel.FileName(a.Name, at.Kind, 1), Data: data}, err
}

func (c *client) download(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, errGone
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	answer, err := channel.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxFile+1))
	err = errors.Join(err, answer.Body.Close())
	switch {
	case answer.StatusCode == http.StatusNotFound, answer.StatusCode == http.StatusForbidden:
		return nil, errGone
	case answer.StatusCode != http.StatusOK:
		return nil, refusalOf(answer, data)
	case len(data) > maxFile:
		return nil, errLarge
	}
	return data, err
}

// keepsFiles says whether an address is one where Meta keeps files, or what stands in for it does: the token goes there.
func (c *client) keepsFiles(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	if c.own {
		base, err := url.Parse(c.base)
		return err == nil && u.Scheme == base.Scheme && u.Host == base.Host
	}
	host := u.Hostname()
	return u.Scheme == "https" && (strings.HasSuffix(host, ".fbsbx.com") || strings.HasSuffix(host, ".facebook.com")) && u.Port() == ""
}
