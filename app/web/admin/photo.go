package admin

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/picture"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
	"gatehouse/views/ui"
)

// savePhoto answers POST /admin/profile/photo: another photo of the reader, or none.
func (h *Handler) savePhoto(c echo.Context) error {
	ctx := c.Request().Context()
	if c.FormValue("act") == "remove" {
		if err := h.Staff.RemovePhoto(ctx, self(c), actorOf(c)); err != nil {
			return err
		}
		said(c, "staff.said.photo_gone")
		return web.SeeOther(c, views.ProfilePath)
	}
	file, err := sentPhoto(c)
	if err == nil {
		err = h.Staff.SetPhoto(ctx, self(c), file, actorOf(c))
	}
	if err != nil {
		return h.refused(c, err, views.Profile{})
	}
	said(c, "staff.said.photo")
	return web.SeeOther(c, views.ProfilePath)
}

// sentPhoto is the file in a form.
func sentPhoto(c echo.Context) ([]byte, error) {
	head, err := c.FormFile("photo")
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return nil, picture.ErrKind
	}
	if err != nil {
		return nil, err
	}
	f, err := head.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	return io.ReadAll(io.LimitReader(f, picture.MaxBytes+1))
}

// photo answers GET /admin/staff/:id/photo. The address of each photo is its own, by its query, so that a browser may keep it.
func (h *Handler) photo(c echo.Context) error {
	data, err := h.Staff.Photo(c.Request().Context(), staff.ID(c.Param("id")))
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "private, max-age=86400, immutable")
	return c.Blob(http.StatusOK, "image/jpeg", data)
}

// faces are the photos and initials of our staff, by id.
func (h *Handler) faces(ctx context.Context) (map[string]ui.Person, error) {
	all, err := h.Staff.List(ctx)
	if err != nil {
		return nil, err
	}
	faces := make(map[string]ui.Person, len(all))
	for _, m := range all {
		faces[string(m.ID)] = face(m)
	}
	return faces, nil
}

func face(m staff.Member) ui.Person {
	p := ui.Person{ID: string(m.ID), Name: m.Name}
	if m.Photo != "" {
		p.Photo = views.PhotoOf(string(m.ID), m.Photo)
	}
	return p
}

// photoRoutes are those of photos.
func (h *Handler) photoRoutes() []web.Route {
	return []web.Route{
		{
			Method: http.MethodPost, Path: views.PhotoPath, For: web.Staff, Needs: staff.Own, Do: h.savePhoto,
			Body: picture.MaxBytes + 64<<10, // and the rest of the form
		},
		{Method: http.MethodGet, Path: views.StaffPath + "/:id/photo", For: web.Staff, Needs: staff.Own, Do: h.photo},
	}
}
