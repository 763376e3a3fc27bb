package config

import (
	"io"
	"log/slog"
)

// Handler makes the log's handler, which writes to w. A level or format that is not known, which Load refuses, is info
// and logfmt.
func (l Log) Handler(w io.Writer) slog.Handler {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if l.Format == "json" {
		return slog.NewJSONHandler(w, options)
	}
	return slog.NewTextHandler(w, options)
}
