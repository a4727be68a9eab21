package staff

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/picture"
)

// Files keep photos; those of app/provider/objectstore do.
type Files interface {
	Put(ctx context.Context, name string, data []byte) error
	Get(ctx context.Context, name string) ([]byte, error)
	Delete(ctx context.Context, name string) error
}

// ErrNoPhoto says that there is no such photo.
var ErrNoPhoto = fault.New(fault.NotFound, "no-photo", "no such photo of staff", "There is no such photo.")

// photoName is the name of a new photo: another one each time, so that no browser shows the former one.
func photoName() (string, error) {
	id, err := uuid.NewRandom()
	return "staff-" + id.String() + ".jpg", err
}

// SetPhoto makes a photo one's own. What is kept is a small square that we draw of it.
func (s *Service) SetPhoto(ctx context.Context, id ID, file []byte, by audit.Actor) error {
	square, err := picture.Square(file)
	if err != nil {
		return err
	}
	name, err := photoName()
	if err == nil {
		err = s.Photos.Put(ctx, name, square)
	}
	if err != nil {
		return fmt.Errorf("keep photo: %w", err)
	}
	return s.swapPhoto(ctx, id, name, "staff.photo", by)
}

// RemovePhoto takes one's own photo away.
func (s *Service) RemovePhoto(ctx context.Context, id ID, by audit.Actor) error {
	return s.swapPhoto(ctx, id, "", "staff.photo_remove", by)
}

// swapPhoto notes another photo and deletes the file that nobody needs any more: the former one, or the new one that could not be noted.
func (s *Service) swapPhoto(ctx context.Context, id ID, name, action string, by audit.Actor) error {
	former := name
	_, err := s.change(ctx, id, by, action, func(c *Case) error {
		if c.Photo == name {
			return nil
		}
		former, c.Photo = c.Photo, name
		return c.record()
	})
	spare := former
	if err != nil {
		spare = name
	}
	if spare != "" && (err != nil || spare != name) {
		_ = s.Photos.Delete(context.WithoutCancel(ctx), spare) // a file that stays is named by nobody
	}
	return err
}

// Photo reads the photo of one of our staff.
func (s *Service) Photo(ctx context.Context, id ID) ([]byte, error) {
	m, err := s.Store.Find(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case m.Photo == "":
		return nil, ErrNoPhoto
	}
	return s.Photos.Get(ctx, m.Photo)
}
