package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation is how a camera was held, as the Exif part of a JPEG says: 1 to 8. A file that says nothing, or nothing that can be read,
// was held upright.
func orientation(file []byte) int {
	for at := 2; at+4 <= len(file) && file[at] == 0xff; {
		marker, size := file[at+1], int(binary.BigEndian.Uint16(file[at+2:]))
		if marker == 0xda || size < 2 || at+2+size > len(file) {
			break // the picture itself begins, or the file is broken
		}
		if exif, found := bytes.CutPrefix(file[at+4:at+2+size], []byte("Exif\x00\x00")); marker == 0xe1 && found {
			return oriented(exif)
		}
		at += 2 + size
	}
	return 1
}

// oriented reads the first directory of an Exif part.
func oriented(exif []byte) int {
	const entry, tag = 12, 0x0112
	if len(exif) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if exif[0] == 'M' {
		order = binary.BigEndian
	}
	at := uint64(order.Uint32(exif[4:]))
	if at+2 > uint64(len(exif)) {
		return 1
	}
	for n := order.Uint16(exif[at:]); n > 0; n-- {
		e := at + 2 + uint64(n-1)*entry
		if e+entry > uint64(len(exif)) || order.Uint16(exif[e:]) != tag {
			continue
		}
		if v := int(order.Uint16(exif[e+8:])); v >= 1 && v <= 8 {
			return v
		}
	}
	return 1
}

// upright turns and mirrors a square as its camera was held.
func upright(p *image.RGBA, o int) *image.RGBA {
	n := p.Bounds().Dx() - 1
	from := map[int]func(x, y int) (int, int){
		2: func(x, y int) (int, int) { return n - x, y },
		3: func(x, y int) (int, int) { return n - x, n - y },
		4: func(x, y int) (int, int) { return x, n - y },
		5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return y, n - x },
		7: func(x, y int) (int, int) { return n - y, n - x },
		8: func(x, y int) (int, int) { return n - y, x },
	}[o]
	if from == nil {
		return p
	}
	out := image.NewRGBA(p.Bounds())
	for y := range n + 1 {
		for x := range n + 1 {
			fx, fy := from(x, y)
			out.SetRGBA(x, y, p.RGBAAt(fx, fy))
		}
	}
	return out
}
