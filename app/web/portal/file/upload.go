package file

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
)

// hashSize is how many characters the hash of a stretch has.
const hashSize = 64

// upload answers POST /app/files/upload: begins what the script has signed, or says how far it is.
func (p *Pages) upload(c echo.Context) error {
	in := wire.FileUpload{By: inbox.Decider(c), Parts: []string{}}
	if json.Unmarshal([]byte(c.FormValue("act")), &in.Act) != nil {
		return errAct
	}
	for all := c.FormValue("parts"); all != ""; all = all[hashSize:] { // they stand one behind the other
		if len(all) < hashSize {
			return errAct
		}
		in.Parts = append(in.Parts, all[:hashSize])
	}
	var err error
	if in.Signature, err = inbox.SignatureOf(c); err != nil {
		return err
	}
	got, err := p.Files.Upload(c.Request().Context(), frame.Customer(c), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, got)
}

// part answers POST /app/files/part: passes one sealed stretch on. It is in memory for as long as that takes.
func (p *Pages) part(c echo.Context) error {
	index, err := strconv.ParseInt(c.FormValue("index"), 10, 64)
	if err != nil {
		return errAct
	}
	box, err := base64.RawURLEncoding.DecodeString(c.FormValue("box"))
	if err != nil {
		return errAct
	}
	in := wire.FilePartIn{ID: c.FormValue("id"), Index: index, Box: box}
	got, err := p.Files.Part(c.Request().Context(), frame.Customer(c), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, got)
}

// finish answers POST /app/files/finish: all has arrived, and takes its place.
func (p *Pages) finish(c echo.Context) error {
	got, err := p.Files.Finish(c.Request().Context(), frame.Customer(c), c.FormValue("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, got)
}
