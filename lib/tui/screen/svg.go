package screen

import (
	"fmt"
	"html"
	"image/color"
	"io"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// The measures of a picture, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18.0
	fontSize   = 14
	padding    = 14.0
	titleBar   = 30.0
)

const (
	background = "#101418"
	foreground = "#d6dde4"
)

// palette is the sixteen colours of the terminal that is drawn.
var palette = [16]string{
	"#1c2228", "#ef6b73", "#8fc98a", "#e3c477", "#74a8f0", "#c490e4", "#5fc9c9", "#d6dde4",
	"#5b6670", "#ff8a91", "#a8e0a2", "#f2d88f", "#93c0ff", "#d9aef5", "#86e3e3", "#ffffff",
}

// SVG draws what is on the screen, in a window with a title.
func (s *Screen) SVG(w io.Writer, title string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	width := float64(s.width)*cellWidth + 2*padding
	height := float64(s.height)*cellHeight + 2*padding + titleBar
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">`+"\n",
		width, height, width, height, html.EscapeString(title))
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" rx="9" fill="%s"/>`+"\n", width, height, background)
	for i, c := range []string{"#ef6b73", "#e3c477", "#8fc98a"} {
		fmt.Fprintf(&b, `<circle cx="%.0f" cy="%.0f" r="5.5" fill="%s"/>`, padding+6+float64(i)*19, titleBar/2+3, c)
	}
	fmt.Fprintf(&b, "\n"+`<g fill="%s" font-size="%d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" xml:space="preserve">`+"\n", foreground, fontSize)
	fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle" opacity=".6">%s</text>`+"\n", width/2, titleBar/2+8, html.EscapeString(title))
	for y := range s.height {
		s.drawRow(&b, y)
	}
	s.drawCursor(&b)
	b.WriteString("</g>\n</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func left(x int) float64 { return padding + float64(x)*cellWidth }

func top(y int) float64 { return titleBar + padding + float64(y)*cellHeight }

// drawRow writes runs of cells that look alike. A wide cell, or one of several
// characters, is a run of its own, so that no font can shift what stands behind it;
// and so is what stands behind two spaces, which some viewers draw as one.
func (s *Screen) drawRow(b *strings.Builder, y int) {
	for x := 0; x < s.width; {
		c := s.cell(x, y)
		if c.Content == " " && c.Style.Underline == 0 {
			x++
			continue
		}
		end, text := x+max(c.Width, 1), c.Content
		for simple(c) && end < s.width {
			next := s.cell(end, y)
			if !simple(next) || !next.Style.Equal(&c.Style) || next.Content == " " && s.cell(min(end+1, s.width-1), y).Content == " " {
				break
			}
			text += next.Content
			end++
		}
		drawRun(b, x, y, end-x, text, c.Style)
		x = end
	}
}

func simple(c uv.Cell) bool { return c.Width == 1 && len([]rune(c.Content)) == 1 }

func drawRun(b *strings.Builder, x, y, width int, text string, st uv.Style) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f"`, left(x), top(y)+13, float64(width)*cellWidth)
	if c := fill(st.Fg); c != "" {
		fmt.Fprintf(b, ` fill="%s"`, c)
	}
	if st.Attrs&uv.AttrBold != 0 {
		b.WriteString(` font-weight="700"`)
	}
	if st.Attrs&uv.AttrFaint != 0 {
		b.WriteString(` opacity=".55"`)
	}
	if st.Underline != 0 {
		b.WriteString(` text-decoration="underline"`)
	}
	fmt.Fprintf(b, ">%s</text>\n", html.EscapeString(text))
}

// fill is the colour of text, empty for the default.
func fill(c color.Color) string {
	switch c := c.(type) {
	case nil:
		return ""
	case ansi.BasicColor:
		return palette[c&15]
	case ansi.IndexedColor:
		if c < 16 {
			return palette[c]
		}
	}
	r, g, bl, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, bl>>8)
}

func (s *Screen) drawCursor(b *strings.Builder) {
	if s.emu.CursorHidden() {
		return
	}
	p := s.emu.CursorPosition()
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.0f" fill="%s" opacity=".75"/>`+"\n", left(p.X), top(p.Y)+1, cellWidth, cellHeight-2, foreground)
}
