package ui

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// quiet is the white border that readers of QR codes need, in squares.
const quiet = 4

// qrCode is a QR code as a drawing: how many squares wide it is with its border, and the path of the dark ones.
type qrCode struct {
	size int
	path string
}

// viewBox is the drawing's own measure.
func (q qrCode) viewBox() string { return fmt.Sprintf("0 0 %d %d", q.size, q.size) }

// drawQR draws text. It fails where the text is longer than any code holds.
func drawQR(text string) (qrCode, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return qrCode{}, fmt.Errorf("draw QR code: %w", err)
	}
	n := code.Bounds().Dx()
	dark := func(x, y int) bool { return color.GrayModel.Convert(code.At(x, y)).(color.Gray).Y < 0x80 }
	var b strings.Builder
	for y := range n {
		for x := 0; x < n; x++ {
			begin := x
			for x < n && dark(x, y) {
				x++
			}
			if x > begin {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", begin+quiet, y+quiet, x-begin, x-begin)
			}
		}
	}
	return qrCode{n + 2*quiet, b.String()}, nil
}

func (q qrCode) side() string { return strconv.Itoa(q.size) }
