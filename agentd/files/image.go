package files

import (
	"bytes"
	"context"
	"image"
	"image/color"
	_ "image/gif" // formats that are decoded
	"image/jpeg"
	"image/png"
	"io"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Bounds of a picture that is drawn anew.
const (
	mostImage  = 20 << 20  // bytes of the file
	mostMemory = 100 << 20 // bytes that decoding takes: a photo of 30 million pixels
	mostSide   = 1600      // pixels of what is drawn
	mostDrawn  = 5 << 20   // bytes of what is drawn, so that it fits through the link
)

var (
	errLarge = tool.Refuse("This picture is too large to be shown here. Download it to see it.")
	errDrawn = tool.Refuse("This picture cannot be shown here. Download it to see it.")
)

// image answers a picture, decoded and drawn anew.
func (f *Files) image(ctx context.Context, p wire.FileParams) (wire.Boxed, error) {
	select {
	case f.drawing <- struct{}{}:
		defer func() { <-f.drawing }()
	case <-ctx.Done():
		return wire.Boxed{}, ctx.Err()
	}
	_, file, info, err := f.open(p.Path)
	if err != nil {
		return wire.Boxed{}, err
	}
	defer file.Close()
	if info.Size() > mostImage {
		return wire.Boxed{}, errLarge
	}
	raw, err := io.ReadAll(io.LimitReader(file, mostImage+1)) // it may grow while it is read
	if err != nil || len(raw) > mostImage {
		return wire.Boxed{}, errLarge
	}
	out, err := redrawn(raw)
	return wire.Boxed{Result: out, Box: out.Box}, err
}

// redrawn decodes a picture and encodes it anew, no larger than a page shows it.
func redrawn(raw []byte) (wire.FileImage, error) {
	c, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return wire.FileImage{}, errDrawn
	}
	if c.Width <= 0 || c.Height <= 0 || int64(c.Width)*int64(c.Height)*memoryOf(format, c, raw) > mostMemory {
		return wire.FileImage{}, errLarge
	}
	img, err := decoded(raw)
	if err != nil {
		return wire.FileImage{}, errDrawn
	}
	turn := 1
	if format == "jpeg" {
		turn = orientation(raw)
	}
	return encoded(scaled(img, turn))
}

// memoryOf is how many bytes a decoder takes for each pixel.
func memoryOf(format string, c image.Config, raw []byte) int64 {
	wide := c.ColorModel == color.RGBA64Model || c.ColorModel == color.NRGBA64Model || c.ColorModel == color.Gray16Model
	switch {
	case format == "jpeg" && !isProgressive(raw):
		return 3
	case format == "gif":
		return 2
	case format == "png" && !wide:
		return 8 // a second time for the passes of one that is interlaced
	}
	return 16
}

// decoded is image.Decode for bytes that anybody may have made: a decoder that stumbles over them stops nothing else.
func decoded(raw []byte) (img image.Image, err error) {
	defer func() {
		if recover() != nil {
			img, err = nil, errDrawn
		}
	}()
	img, _, err = image.Decode(bytes.NewReader(raw))
	return img, err
}

// encoded writes a picture: as PNG when parts of it are clear or it is small that way, as JPEG otherwise.
func encoded(img *image.NRGBA) (wire.FileImage, error) {
	out := wire.FileImage{Width: img.Rect.Dx(), Height: img.Rect.Dy(), Type: "image/png"}
	var b bytes.Buffer
	var err error
	if img.Opaque() {
		out.Type = "image/jpeg"
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 85})
	} else {
		err = png.Encode(&b, img)
	}
	if err != nil {
		return wire.FileImage{}, errDrawn
	}
	if b.Len() > mostDrawn {
		return wire.FileImage{}, errLarge
	}
	out.Box = b.Bytes()
	return out, nil
}
