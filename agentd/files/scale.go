package files

import (
	"image"
	"image/color"
)

// scaled draws a picture upright and no larger than mostSide on either side. Each pixel is the mean of those that it stands
// for. turn is the orientation of EXIF, 1 to 8.
func scaled(img image.Image, turn int) *image.NRGBA {
	b := img.Bounds()
	w, h := fit(b.Dx(), b.Dy())
	small := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		y0, y1 := b.Min.Y+y*b.Dy()/h, b.Min.Y+(y+1)*b.Dy()/h
		for x := range w {
			x0, x1 := b.Min.X+x*b.Dx()/w, b.Min.X+(x+1)*b.Dx()/w
			small.SetNRGBA(x, y, mean(img, image.Rect(x0, y0, max(x1, x0+1), max(y1, y0+1))))
		}
	}
	return upright(small, turn)
}

// fit is the size of a picture with sides of at most mostSide.
func fit(w, h int) (int, int) {
	long := max(w, h)
	if long <= mostSide {
		return w, h
	}
	return max(w*mostSide/long, 1), max(h*mostSide/long, 1)
}

// mean is the color of a part of a picture, seen from far.
func mean(img image.Image, part image.Rectangle) color.NRGBA {
	if part.Dx() == 1 && part.Dy() == 1 {
		return color.NRGBAModel.Convert(img.At(part.Min.X, part.Min.Y)).(color.NRGBA)
	}
	var r, g, b, a, n uint64
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			pr, pg, pb, pa := img.At(x, y).RGBA()
			r, g, b, a, n = r+uint64(pr), g+uint64(pg), b+uint64(pb), a+uint64(pa), n+1
		}
	}
	c := color.RGBA64{R: uint16(r / n), G: uint16(g / n), B: uint16(b / n), A: uint16(a / n)}
	return color.NRGBAModel.Convert(c).(color.NRGBA)
}

// upright turns a picture as its camera says it was held.
func upright(img *image.NRGBA, turn int) *image.NRGBA {
	if turn <= 1 || turn > 8 {
		return img
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if turn >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewNRGBA(size)
	for y := range h {
		for x := range w {
			tx, ty := turned(x, y, w, h, turn)
			out.SetNRGBA(tx, ty, img.NRGBAAt(x, y))
		}
	}
	return out
}

// turned is where a pixel of a picture of w by h stands once it is upright.
func turned(x, y, w, h, turn int) (int, int) {
	switch turn {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return h - 1 - y, x
	case 7:
		return h - 1 - y, w - 1 - x
	case 8:
		return y, w - 1 - x
	}
	return x, y
}
