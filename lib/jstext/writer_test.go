package jstext_test

import (
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

func TestWriter(t *testing.T) {
	text, number := "a<b", int64(-7)
	write := func(w *jstext.Writer) {
		w.BeginObject()
		w.Key("k<\"")
		w.BeginArray()
		w.BeginObject()
		w.EndObject()
		w.BeginArray()
		w.EndArray()
		w.Text("<x>\n" + high)
		w.Int(1 << 53)
		w.Bool(true)
		w.Null()
		w.EndArray()
		w.Key("opt")
		w.BeginArray()
		w.OptText(nil)
		w.OptText(&text)
		w.OptInt(nil)
		w.OptInt(&number)
		w.EndArray()
		w.Key("raw")
		w.Raw(jstext.MustParse(` { "b" : 1.0 , "1" : "\u0041" } `))
		w.EndObject()
	}
	const want = `{"k<\"":[{},[],"<x>\n\ud83d",9007199254740992,true,null],"opt":[null,"a<b",null,-7],"raw":{"1":"A","b":1}}`
	var w jstext.Writer
	write(&w)
	if w.String() != want || string(w.Bytes()) != want || w.Len() != len(want) || w.Value().Raw() != want {
		t.Errorf("got %s\nwant %s", w.String(), want)
	}
	safe := jstext.Writer{TagSafe: true}
	write(&safe)
	if !jstext.Equal(safe.Value(), w.Value()) || strings.Contains(safe.String(), "<") {
		t.Errorf("tag-safe: %s", safe.String())
	}
	if w.Value().JSON() != want {
		t.Errorf("written again: %s", w.Value().JSON())
	}
}

func TestMustParse(t *testing.T) {
	defer func() {
		if got, want := recover(), any("jstext: not a JSON value at byte 1"); got != want {
			t.Errorf("panic %v, want %v", got, want)
		}
	}()
	jstext.MustParse("[x]")
}
