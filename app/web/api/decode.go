package api

import (
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/page"
	"gatehouse/app/web/jsonbody"
)

// idParam is a path parameter that must be one of our ids; anything else is not found, as an id of nobody is.
func idParam(c echo.Context, name string) (string, error) {
	id := c.Param(name)
	if uuid.Validate(id) != nil || len(id) != 36 {
		return "", echo.NewHTTPError(http.StatusNotFound)
	}
	return id, nil
}

// asked reads limit and after.
func asked(c echo.Context) (page.Ask, error) {
	a, err := limited(c)
	if err != nil {
		return page.Ask{}, err
	}
	return a.Clean()
}

// limited reads them as they are written.
func limited(c echo.Context) (page.Ask, error) {
	a := page.Ask{After: c.QueryParam("after")}
	if v := c.QueryParam("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n == 0 {
			return page.Ask{}, jsonbody.Bad("limit must be a number from 1 to 200.")
		}
		a.Limit = n
	}
	return a, nil
}

// sought is asked, with the text that a list of the console looks for.
func sought(c echo.Context) (page.Ask, error) {
	a, err := asked(c)
	if err != nil {
		return page.Ask{}, err
	}
	a.Search = c.QueryParam("q")
	return a.Clean()
}

// listed is one page of a list on the wire.
type listed[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"`
}

// list makes the wire form of a page: items is never null, next is null at the end.
func list[T, U any](of page.Of[T], each func(T) U) listed[U] {
	l := listed[U]{Items: make([]U, 0, len(of.Items))}
	for _, item := range of.Items {
		l.Items = append(l.Items, each(item))
	}
	if of.Next != "" {
		l.Next = &of.Next
	}
	return l
}

// soughtSorted is sought for a list that is sorted by something that is no id.
func soughtSorted(c echo.Context) (page.Ask, error) {
	a, err := limited(c)
	if err != nil {
		return page.Ask{}, err
	}
	a.Search = c.QueryParam("q")
	return a.CleanSorted()
}
