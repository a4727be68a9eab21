package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"gatehouse/app/picture"
)

// half is red on its left and blue on its right.
func half(w, h int) image.Image {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{R: 255, A: 255}
			if x >= w/2 {
				c = color.RGBA{B: 255, A: 255}
			}
			p.SetRGBA(x, y, c)
		}
	}
	return p
}

func encoded(t *testing.T, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// held puts an Exif part into a JPEG that says how the camera was held, and where.
func held(file []byte, how uint16) []byte {
	tiff := []byte("MM\x00*\x00\x00\x00\x08")
	tiff = binary.BigEndian.AppendUint16(tiff, 1)
	tiff = append(tiff, 0x01, 0x12, 0, 3, 0, 0, 0, 1)
	tiff = append(binary.BigEndian.AppendUint16(tiff, how), 0, 0, 0, 0, 0, 0)
	part := append([]byte("Exif\x00\x00"), append(tiff, "taken at home"...)...)
	out := append([]byte{0xff, 0xd8, 0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(part)+2))...)
	return append(append(out, part...), file[2:]...)
}

func red(p image.Image, x, y int) bool {
	r, _, b, _ := p.At(x, y).RGBA()
	return r > b
}

// TestSquare: a photo becomes a small square, upright, and nothing of the file besides its picture is in it.
func TestSquare(t *testing.T) {
	t.Parallel()
	plain := encoded(t, half(900, 600))
	var transparent bytes.Buffer
	if err := png.Encode(&transparent, half(30, 80)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file        []byte
		redX, redY  int // where it is red
		blueX, blue int
	}{
		"as it is":       {plain, 10, 128, 245, 128},
		"a PNG":          {transparent.Bytes(), 10, 128, 245, 128},
		"upside down":    {held(plain, 3), 245, 128, 10, 128},
		"on its side":    {held(plain, 6), 128, 10, 128, 245},
		"on the other":   {held(plain, 8), 128, 245, 128, 10},
		"held strangely": {held(plain, 99), 10, 128, 245, 128},
	} {
		out, err := picture.Square(c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p, kind, err := image.Decode(bytes.NewReader(out))
		if err != nil || kind != "jpeg" || p.Bounds() != image.Rect(0, 0, 256, 256) {
			t.Errorf("%s: %s %v, %v", name, kind, p.Bounds(), err)
			continue
		}
		if !red(p, c.redX, c.redY) || red(p, c.blueX, c.blue) {
			t.Errorf("%s: not upright", name)
		}
		if bytes.Contains(out, []byte("Exif")) || bytes.Contains(out, []byte("taken at home")) {
			t.Errorf("%s: it says where it was taken", name)
		}
	}
}

// bomb is a PNG of a few bytes that claims to be very large.
func bomb() []byte {
	head := []byte("IHDR")
	head = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(head, 60_000), 60_000)
	head = append(head, 8, 2, 0, 0, 0)
	out := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13)
	return binary.BigEndian.AppendUint32(append(out, head...), crc32.ChecksumIEEE(head))
}

// TestSquare_refused: what is no photo, is broken or would fill the memory is refused, with what to do about it.
func TestSquare_refused(t *testing.T) {
	t.Parallel()
	plain := encoded(t, half(300, 300))
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"nothing":      {nil, picture.ErrKind},
		"a page":       {[]byte("<svg onload='alert(1)'></svg>"), picture.ErrKind},
		"cut off":      {plain[:len(plain)/2], picture.ErrKind},
		"a bomb":       {bomb(), picture.ErrBig},
		"a large file": {make([]byte, picture.MaxBytes+1), picture.ErrBig},
	} {
		if out, err := picture.Square(c.file); !errors.Is(err, c.want) || out != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzSquare: whatever is sent ends in a square or in a refusal.
func FuzzSquare(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00*"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if out, err := picture.Square(file); (err == nil) == (out == nil) {
			t.Errorf("%d bytes, %v", len(out), err)
		}
	})
}
