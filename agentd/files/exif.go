package files

import (
	"bytes"
	"encoding/binary"
)

// segments calls fn with each part of a JPEG before its pixels, until it says that it has seen enough.
func segments(raw []byte, fn func(kind byte, body []byte) (enough bool)) {
	for at := 2; at+4 <= len(raw) && raw[at] == 0xff; {
		kind, size := raw[at+1], int(binary.BigEndian.Uint16(raw[at+2:]))
		end := at + 2 + size
		if kind == 0xda || size < 2 || end > len(raw) || fn(kind, raw[at+4:end]) {
			return
		}
		at = end
	}
}

// isProgressive says whether a JPEG is of the kind of which all coefficients are kept in memory. One that does not say
// counts as one.
func isProgressive(raw []byte) bool {
	baseline := false
	segments(raw, func(kind byte, _ []byte) bool {
		baseline = kind == 0xc0 || kind == 0xc1
		return baseline || kind == 0xc2
	})
	return !baseline
}

// orientation is how the camera of a JPEG was held, 1 to 8 as EXIF has it; 1 when the file does not say.
func orientation(raw []byte) int {
	turn := 1
	segments(raw, func(kind byte, body []byte) bool {
		body, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00"))
		if ok = ok && kind == 0xe1; ok {
			turn = orientationIn(body)
		}
		return ok
	})
	return turn
}

// orientationIn reads it from the TIFF that EXIF is.
func orientationIn(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	const tag, entry = 0x0112, 12
	for n := int64(order.Uint16(tiff[at:])); n > 0; n-- {
		e := at + 2 + (n-1)*entry
		if e+entry > int64(len(tiff)) || order.Uint16(tiff[e:]) != tag {
			continue
		}
		if v := int(order.Uint16(tiff[e+8:])); v >= 1 && v <= 8 {
			return v
		}
	}
	return 1
}
