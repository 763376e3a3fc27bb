package psout

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// utf16le is a text as Windows PowerShell redirects it.
func utf16le(text string) string {
	out := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

func utf16be(text string) string {
	out := []byte{0xFE, 0xFF}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.BigEndian.AppendUint16(out, unit)
	}
	return string(out)
}

func TestParse(t *testing.T) {
	two := []Record{{"servername": "fs1", "numopens": "1"}, {"servername": "fs2", "numopens": "2"}}
	const list = "\nServerName : fs1\nNumOpens   : 1\n\nServerName : fs2\nNumOpens   : 2\n\n"
	for name, test := range map[string]struct {
		text string
		want []Record
		odd  int
	}{
		"nothing":           {"", nil, 0},
		"blank lines":       {"\r\n\r\n", nil, 0},
		"null":              {"null", nil, 0},
		"empty array":       {"[]\n", nil, 0},
		"array":             {`[{"ServerName":"fs1","NumOpens":1},{"ServerName":"fs2","NumOpens":2}]`, two, 0},
		"one object":        {`{"ServerName":"fs1","NumOpens":1}`, two[:1], 0},
		"wrapped array":     {`{"value":[{"ServerName":"fs1","NumOpens":1},{"ServerName":"fs2","NumOpens":2}],"Count":2}`, two, 0},
		"one after another": {`{"ServerName":"fs1","NumOpens":1}` + "\n" + `{"ServerName":"fs2","NumOpens":2}`, two, 0},
		"UTF-8 with mark":   {"\uFEFF" + `{"ServerName":"fs1","NumOpens":1}`, two[:1], 0},
		"UTF-16":            {utf16le(list), two, 0},
		"UTF-16 big-endian": {utf16be(list), two, 0},
		"half a character":  {utf16le(list)[:21], nil, 1},
		"no text":           {"\x00\x01\x02", nil, 1},
		"cut off":           {`[{"ServerName":"fs1"`, nil, 1},
		"elements":          {`[{"ServerName":"fs1","NumOpens":1}, 5, "x"]`, two[:1], 2},
		"list":              {list, two, 0},
		"list, CR LF":       {strings.ReplaceAll(list, "\n", "\r\n"), two, 0},
		"no blank line":     {"ServerName : fs1\nNumOpens : 1\nServerName : fs2\nNumOpens : 2", two, 0},
		"list with prompts": {"PS C:\\Users\\a> Get-SmbConnection | fl" + list + "[fs9]: PS C:\\> exit\n", two, 0},
		"coloured list":     {"\x1b[32;1mServerName : \x1b[0mfs1\n\x1b[32;1mNumOpens   : \x1b[0m1\n", two[:1], 0},
		"colons in names": {"Name                             : Ethernet\nBaseProcessor: [Group:Number]    : 0:0\nEmpty   :\n",
			[]Record{{"name": "Ethernet", "baseprocessorgroupnumber": "0:0"}}, 0},
		"wrapped value": {"ServerName : storage.file.core.wind\n             ows.net\nText       : one two\n             three\n",
			[]Record{{"servername": "storage.file.core.windows.net", "text": "one two three"}}, 0},
		"what is no list": {"Access is denied.\n", nil, 1},
		"dates and noise": {`{"T":"\/Date(1764510515000)\/","CimClass":{"a":1},"CimSystemProperties":"x","N":null,"L":["a","b"]}`,
			[]Record{{"t": "/Date(1764510515000)/", "l": "{a, b}"}}, 0},
		"properties apart": {`[{"CimInstanceProperties":[{"Name":"ServerName","Value":"fs1","CimType":14},{"NumOpens":1},"x = 1"]}]`, two[:1], 0},
		"numbers": {`{"Big":18446744073709551615,"Whole":4.0,"Part":1.234,"Yes":true}`,
			[]Record{{"big": "18446744073709551615", "whole": "4", "part": "1.234e+00", "yes": "true"}}, 0},
	} {
		got, odd := Parse([]byte(test.text))
		if diff := cmp.Diff(test.want, got); diff != "" || odd != test.odd {
			t.Errorf("%s: odd %d, want %d (-want +got):\n%s", name, odd, test.odd, diff)
		}
	}
}

const wrappedHeader = `
Server Name Selected Client IP      Client
                                    Interface
                                    Index
----------- -------- ---------      ---------
fs1         True     192.0.2.10     12
fs2         False    192.0.2.11     7
`

func TestTables(t *testing.T) {
	two := []Record{
		{"servername": "fs1", "selected": "True", "clientip": "192.0.2.10", "clientinterfaceindex": "12"},
		{"servername": "fs2", "selected": "False", "clientip": "192.0.2.11", "clientinterfaceindex": "7"},
	}
	for name, test := range map[string]struct {
		text string
		want []Record
		odd  int
	}{
		"wrapped header":  {wrappedHeader, two, 0},
		"zero rows":       {"A B\n- -\n\n", nil, 0},
		"behind a prompt": {"PS C:\\> Get-SmbMultichannelConnection\n" + wrappedHeader + "\nPS C:\\> \n", two, 0},
		"numbers to the right": {"Name    Opens Share\n----    ----- -----\nfs1         1 a b\nfs2 1.234.567 c\n",
			[]Record{{"name": "fs1", "opens": "1", "share": "a b"}, {"name": "fs2", "opens": "1.234.567", "share": "c"}}, 0},
		"value longer than its header": {"A  B\n-  -\na1 b1\na2 b2 b3\n", []Record{{"a": "a1", "b": "b1"}, {"a": "a2", "b": "b2 b3"}}, 0},
		"misaligned":                   {"Name  Share\n----  -----\nfs1   a\nlongname b\n", []Record{{"name": "fs1", "share": "a"}}, 1},
		"wrapped values": {"ServerName    Share\n----------    -----\nstorage.file. data\ncore          \nfs2           two\n              words\n",
			[]Record{{"servername": "storage.file.core", "share": "data"}, {"servername": "fs2", "share": "two words"}}, 0},
		"truncated":             {"ServerName   Share\n----------   -----\nstorage.f... data\n", []Record{{"servername": "storage.f...", "share": "data"}}, 0},
		"two tables":            {"A B\n- -\n1 2\n\nC D\n- -\n3 4\n", []Record{{"a": "1", "b": "2"}, {"c": "3", "d": "4"}}, 0},
		"no blank line between": {"A B\n- -\n1 2\nC D\n- -\n3 4\n", []Record{{"a": "1", "b": "2"}, {"c": "3", "d": "4"}}, 0},
		"tabs":                  {"A\tB\n-\t-\n1\t2\n", []Record{{"a": "1", "b": "2"}}, 0},
	} {
		got, odd := Parse([]byte(test.text))
		if diff := cmp.Diff(test.want, got); diff != "" || odd != test.odd {
			t.Errorf("%s: odd %d, want %d (-want +got):\n%s", name, odd, test.odd, diff)
		}
	}
}

func TestCounterText(t *testing.T) {
	const text = `
Timestamp                 CounterSamples
---------                 --------------
30.11.2026 13:48:41       \\client-1\smb client shares(\fs1\data)\current data queue length :
                          1.234,5

                          \\client-1\smb client shares(\fs1\data)\read bytes/sec :
                          none
`
	got, odd := Parse([]byte(text))
	want := []Record{{
		"path":         `\\client-1\smb client shares(\fs1\data)\current data queue length`,
		"instancename": `\fs1\data`, "cookedvalue": "1.234,5",
	}}
	if diff := cmp.Diff(want, got); diff != "" || odd != 1 {
		t.Errorf("odd %d (-want +got):\n%s", odd, diff)
	}
	samples, _ := Parse([]byte(`{"Timestamp":"x","CounterSamples":[{"Path":"p","RawValue":7}],"Readings":"r"}`))
	if diff := cmp.Diff([]Record{{"path": "p", "rawvalue": "7"}}, samples); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

func TestNumbers(t *testing.T) {
	const none = -1
	for text, want := range map[string]struct{ integer, decimal, bits float64 }{
		"0": {0, 0, 0}, "12": {12, 12, 12}, "18446744073709551615": {1 << 64, 1 << 64, 1 << 64},
		"1.234": {1234, none, 1234}, "1,234": {1234, none, 1234}, "1.234.567": {1234567, 1234567, 1234567},
		"1 234 567": {1234567, 1234567, 1234567}, "1\u00a0234": {1234, 1234, 1234}, "1\u202f234": {1234, 1234, 1234}, "1’234": {1234, 1234, 1234},
		"1.234,567": {none, 1234.567, none}, "1,234.5": {none, 1234.5, none}, "12,5": {none, 12.5, none}, "0,125": {none, 0.125, none},
		"1.5e+01": {none, 15, none}, "32 Gbps": {none, none, 32e9}, "3  Gbps": {none, none, 3e9}, "0  bps": {none, none, 0},
		"1,5 Gbps": {none, none, 1.5e9}, "100\u00a0Mbps": {none, none, 100e6},
		"": {none, none, none}, "-1": {none, none, none}, "x": {none, none, none}, "1,23,4": {none, none, none}, "1.234 567": {none, none, none},
		"NaN": {none, none, none}, "1e999": {none, none, none}, "99999999999999999999": {none, 1e20, none}, "fast bps": {none, none, none},
	} {
		record := Record{"n": text}
		for i, read := range []func(string) (float64, bool){record.Integer, record.Decimal, record.BitRate} {
			got, ok := read("N")
			if !ok {
				got = none
			}
			if expected := []float64{want.integer, want.decimal, want.bits}[i]; got != expected {
				t.Errorf("%q read in way %d: %v, want %v", text, i, got, expected)
			}
		}
	}
}

func TestTruth(t *testing.T) {
	for text, want := range map[string]string{"True": "true", "false": "false", "": "unknown", "1": "unknown"} {
		if got := (Record{"x": text}).Truth("X"); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// Whatever the bytes are, parsing ends, with records whose names are in the form in which they are compared.
func FuzzParse(f *testing.F) {
	for _, text := range []string{wrappedHeader, "A : b\n     c\n", `[{"A":[1,null]}]`, utf16le("A : b"), "A B\n- -\n   1 2", `{"value":[],"Count":0}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		records, odd := Parse(data)
		if odd < 0 || len(records) > maxRecords {
			t.Errorf("%d odd, %d records", odd, len(records))
		}
		for _, record := range records {
			for name, value := range record {
				if Named(name) != name || name == "" || value == "" {
					t.Errorf("property %q: %q", name, value)
				}
			}
		}
	})
}

func FuzzNumbers(f *testing.F) {
	for _, text := range []string{"1.234,5", "32 Gbps", "1e9", "1 234"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		record := Record{"n": text}
		for _, read := range []func(string) (float64, bool){record.Integer, record.Decimal, record.BitRate} {
			if value, ok := read("n"); ok && !(value >= 0 && value < 1e300) && len(text) < 200 {
				t.Errorf("%q is %v", text, value)
			}
		}
	})
}

func BenchmarkParseTable(b *testing.B) {
	text := []byte(strings.Repeat(wrappedHeader+"\n", 100))
	b.ReportAllocs()
	for b.Loop() {
		if records, _ := Parse(text); len(records) != 200 {
			b.Fatal(len(records))
		}
	}
}
