package googlechat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"gatehouse/agentd/channel"
)

// fetchWithin is how long a file may take.
const fetchWithin = 2 * time.Minute

var (
	errLarge = &channel.LeftOut{Text: fmt.Sprintf("An attached file was left out, because it is larger than %d MB.", maxFile>>20)}
	errGone  = &channel.LeftOut{Text: "An attached file was left out, because Google Chat did not give it."}
)

// resources are the names under which attachments lie.
var resources = regexp.MustCompile(`^[A-Za-z0-9_.=+/-]+$`)

// fetch gets an attached file. It lies where it is named at the API, and nowhere else.
func (c *client) fetch(ctx context.Context, a attachment, n int) (channel.File, error) {
	if len(a.Ref.Name) > 2000 || !resources.MatchString(a.Ref.Name) || strings.Contains(a.Ref.Name, "..") {
		return channel.File{}, errGone
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	r, err := c.authorized(ctx, http.MethodGet, "/v1/media/"+a.Ref.Name+"?alt=media", http.NoBody)
	if err != nil {
		return channel.File{}, err
	}
	answer, err := channel.RoundTrip(r)
	if err != nil {
		return channel.File{}, err
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxFile+1))
	err = errors.Join(err, answer.Body.Close())
	switch {
	case answer.StatusCode == http.StatusNotFound, answer.StatusCode == http.StatusForbidden:
		return channel.File{}, errGone
	case answer.StatusCode != http.StatusOK:
		return channel.File{}, refusalOf(answer)
	case len(data) > maxFile:
		return channel.File{}, errLarge
	}
	return channel.File{Name: channel.FileName(a.Name, a.Kind, n), Data: data}, err
}
