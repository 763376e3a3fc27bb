//go:build servers

package servers

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// pdf is what of a document of Chromium is looked at.
type pdf struct {
	pages []string // their text
	sizes []string // width and height in points
}

var (
	pdfObject   = regexp.MustCompile(`(?s)(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj`)
	pdfPage     = regexp.MustCompile(`/Type /Page\n`)
	pdfSize     = regexp.MustCompile(`/MediaBox \[0 0 ([\d. ]+)\]`)
	pdfContents = regexp.MustCompile(`/Contents (\d+) 0 R`)
	pdfNamed    = regexp.MustCompile(`/([FX]\d+) (\d+) 0 R`)
	pdfUnicode  = regexp.MustCompile(`/ToUnicode (\d+) 0 R`)
	pdfText     = regexp.MustCompile(`/(F\d+) [\d.]+ Tf|<([0-9A-F]+)> Tj|(ET)|/(X\d+) Do`)
	pdfOne      = regexp.MustCompile(`(?m)^<([0-9A-F]{4})> <([0-9A-F]+)>$`)
	pdfRange    = regexp.MustCompile(`(?m)^<([0-9A-F]{4})> <([0-9A-F]{4})> <([0-9A-F]{4})>$`)
)

type pdfReader struct{ objects map[string]string }

// readPDF reads the text of every page, as Chromium writes documents: fonts with a table from glyphs to characters.
func readPDF(data []byte) (*pdf, error) {
	r := pdfReader{map[string]string{}}
	var order []string
	for _, found := range pdfObject.FindAllSubmatch(data, -1) {
		number := string(found[1])
		r.objects[number] = string(found[2])
		order = append(order, number)
	}
	document := &pdf{}
	for _, number := range order {
		object := r.objects[number]
		if !pdfPage.MatchString(object) {
			continue
		}
		size, contents := pdfSize.FindStringSubmatch(object), pdfContents.FindStringSubmatch(object)
		if size == nil || contents == nil {
			return nil, fmt.Errorf("page %d has no size or no contents", len(document.pages)+1)
		}
		text, err := r.text(object, r.objects[contents[1]])
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", len(document.pages)+1, err)
		}
		document.pages, document.sizes = append(document.pages, text), append(document.sizes, size[1])
	}
	if len(document.pages) == 0 {
		return nil, errors.New("no page is in the document")
	}
	return document, nil
}

// stream is what an object holds, unpacked.
func stream(object string) (string, error) {
	head, packed, is := strings.Cut(object, "stream\n")
	if !is {
		return "", errors.New("an object without a stream")
	}
	if !strings.Contains(head, "/FlateDecode") {
		return packed, nil
	}
	plain, err := zlib.NewReader(strings.NewReader(packed))
	if err != nil {
		return "", err
	}
	defer plain.Close()
	text, err := io.ReadAll(plain)
	return string(text), err
}

// text is that of a content, with the fonts that its owner names.
func (r pdfReader) text(owner, content string) (string, error) {
	operators, err := stream(content)
	if err != nil {
		return "", err
	}
	named := map[string]string{}
	for _, one := range pdfNamed.FindAllStringSubmatch(owner, -1) {
		named[one[1]] = one[2]
	}
	fonts := map[string]map[uint16]string{}
	var font map[uint16]string
	var text strings.Builder
	for _, found := range pdfText.FindAllStringSubmatch(operators, -1) {
		switch {
		case found[1] != "":
			if fonts[found[1]] == nil {
				if fonts[found[1]], err = r.characters(named[found[1]]); err != nil {
					return "", fmt.Errorf("font %s: %w", found[1], err)
				}
			}
			font = fonts[found[1]]
		case found[2] != "":
			glyphs, err := hex.DecodeString(found[2])
			if err != nil {
				return "", err
			}
			for i := 0; i+1 < len(glyphs); i += 2 {
				text.WriteString(font[uint16(glyphs[i])<<8|uint16(glyphs[i+1])])
			}
		case found[3] != "":
			text.WriteByte('\n')
		case strings.Contains(r.objects[named[found[4]]], "/Subtype /Form"):
			within, err := r.text(r.objects[named[found[4]]], r.objects[named[found[4]]])
			if err != nil {
				return "", err
			}
			text.WriteString(within)
		}
	}
	return text.String(), nil
}

// characters are those of a font's glyphs.
func (r pdfReader) characters(font string) (map[uint16]string, error) {
	table := pdfUnicode.FindStringSubmatch(r.objects[font])
	if table == nil {
		return nil, errors.New("no table to characters")
	}
	text, err := stream(r.objects[table[1]])
	if err != nil {
		return nil, err
	}
	known := map[uint16]string{}
	number := func(text string) uint16 {
		value, _ := strconv.ParseUint(text, 16, 16) // the pattern allows four hexadecimal digits
		return uint16(value)
	}
	for _, one := range pdfOne.FindAllStringSubmatch(text, -1) {
		units := make([]uint16, 0, len(one[2])/4)
		for i := 0; i+4 <= len(one[2]); i += 4 {
			units = append(units, number(one[2][i:i+4]))
		}
		known[number(one[1])] = string(utf16.Decode(units))
	}
	for _, span := range pdfRange.FindAllStringSubmatch(text, -1) {
		for i, last, to := number(span[1]), number(span[2]), number(span[3]); i <= last; i, to = i+1, to+1 {
			known[i] = string(rune(to))
		}
	}
	return known, nil
}

func TestReadPDF(t *testing.T) {
	var packed bytes.Buffer
	writer := zlib.NewWriter(&packed)
	if _, err := writer.Write([]byte("BT\n/F5 14 Tf\n<00010002> Tj\n3.5 0 Td <0010> Tj\nET")); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	document := "1 0 obj\n<</Type /Page\n/Resources <</Font <</F5 2 0 R>>>>\n/MediaBox [0 0 595 842]\n/Contents 4 0 R>>\nendobj\n" +
		"2 0 obj\n<</ToUnicode 3 0 R>>\nendobj\n" +
		"3 0 obj\n<<>> stream\n1 beginbfchar\n<0010> <00660069>\nendbfchar\n1 beginbfrange\n<0001> <0002> <0041>\nendbfrange\nendstream\nendobj\n" +
		"4 0 obj\n<</Filter /FlateDecode>> stream\n" + packed.String() + "\nendstream\nendobj\n"
	read, err := readPDF([]byte(document))
	if err != nil || len(read.pages) != 1 || read.pages[0] != "ABfi\n" || read.sizes[0] != "595 842" {
		t.Errorf("%+v, %v", read, err)
	}
	if _, err := readPDF([]byte("nothing")); err == nil {
		t.Error("nothing is a document")
	}
}
