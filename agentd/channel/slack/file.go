package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gatehouse/agentd/channel"
)

// attachment is a file beside a message.
type attachment struct {
	Name     string `json:"name"`
	Kind     string `json:"mimetype"`
	Size     int64  `json:"size"`
	URL      string `json:"url_private"`
	External bool   `json:"is_external"`
}

// attach notes what stands beside a text. Files are fetched when it is known that their sender may write.
func (r *run) attach(m *channel.Inbound, w message) {
	all := w.Files
	if len(all) > maxFiles {
		m.Left = append(m.Left, fmt.Sprintf("%d attached files were left out, because %d is the most.", len(all)-maxFiles, maxFiles))
		all = all[:maxFiles]
	}
	if len(all) == 0 {
		return
	}
	files := channel.Fetcher{First: againAfter, Gone: errGone, After: retryAfter}
	m.Fetch = files.All(len(all), func(ctx context.Context, i int) (channel.File, error) { return r.api.fetch(ctx, all[i], i+1) })
}

const fetchWithin = 2 * time.Minute

var (
	errLarge = &channel.LeftOut{Text: fmt.Sprintf("An attached file was left out, because it is larger than %d MB.", maxFile>>20)}
	errGone  = &channel.LeftOut{Text: "An attached file was left out, because Slack did not give it."}
)

// fetch gets a file. What Slack says of its size is not believed, and the token goes to where Slack keeps files, and nowhere else.
func (c *client) fetch(ctx context.Context, a attachment, n int) (channel.File, error) {
	switch {
	case a.Size > maxFile:
		return channel.File{}, errLarge
	case a.External, !c.keepsFiles(a.URL):
		return channel.File{}, errGone
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL, http.NoBody)
	if err != nil {
		return channel.File{}, errGone
	}
	r.Header.Set("Authorization", "Bearer "+c.bot)
	answer, err := channel.RoundTrip(r)
	if err != nil {
		return channel.File{}, err
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxFile+1))
	err = errors.Join(err, answer.Body.Close())
	page := strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") && !strings.HasPrefix(a.Kind, "text/html")
	switch {
	case answer.StatusCode == http.StatusTooManyRequests, answer.StatusCode >= 500:
		return channel.File{}, refusalOf(answer, "")
	case answer.StatusCode != http.StatusOK, page: // who may not read it is shown where to sign in
		return channel.File{}, errGone
	case len(data) > maxFile:
		return channel.File{}, errLarge
	}
	return channel.File{Name: channel.FileName(a.Name, a.Kind, n), Data: data}, err
}

// keepsFiles says whether an address is one where Slack keeps files and takes them, or what stands in for it does.
func (c *client) keepsFiles(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	if c.own {
		base, err := url.Parse(c.base)
		return err == nil && u.Scheme == base.Scheme && u.Host == base.Host
	}
	return u.Scheme == "https" && u.Host == "files.slack.com"
}
