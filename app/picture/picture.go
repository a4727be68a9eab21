package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	_ "image/png" // is read
	"sync"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // is read

	"gatehouse/app/fault"
)

// What is taken, and what comes out.
const (
	MaxBytes  = 8 << 20    // of the file
	maxPixels = 24_000_000 // more of them is no photo, but a small file that fills the memory
	side      = 256        // of the square, in pixels
	quality   = 85
)

// Refusals.
var (
	ErrBig  = fault.Bad(map[string]string{"photo": "Choose a photo of at most 8 MB and 24 megapixels."})
	ErrKind = fault.Bad(map[string]string{"photo": "This file is no photo that we can read. Choose a JPEG, PNG or WebP."})
)

// one keeps a flood of photos from taking a flood of memory.
var one sync.Mutex

// Square makes a square JPEG of a photo. What the file says besides its picture, such as where it was taken, is gone.
func Square(file []byte) ([]byte, error) {
	if len(file) > MaxBytes {
		return nil, ErrBig
	}
	head, _, err := image.DecodeConfig(bytes.NewReader(file))
	switch {
	case err != nil:
		return nil, errors.Join(ErrKind, err)
	case head.Width < 1 || head.Height < 1:
		return nil, ErrKind
	case head.Width > maxPixels/head.Height:
		return nil, ErrBig
	}
	one.Lock()
	defer one.Unlock()
	photo, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, errors.Join(ErrKind, err)
	}
	small := image.NewRGBA(image.Rect(0, 0, side, side))
	draw.Draw(small, small.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.CatmullRom.Scale(small, small.Bounds(), photo, middle(photo.Bounds()), draw.Over, nil)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, upright(small, orientation(file)), &jpeg.Options{Quality: quality}); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// middle is the largest square in the middle of a picture.
func middle(b image.Rectangle) image.Rectangle {
	n := min(b.Dx(), b.Dy())
	at := b.Min.Add(image.Pt((b.Dx()-n)/2, (b.Dy()-n)/2))
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(n, n))}
}
