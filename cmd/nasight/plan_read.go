package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/demo"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/promread"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/serve"
)

const ownServer = "http://localhost:9877"

// firstAnswer is how long a server may take for an answer that costs nothing: one that is busy has a queue, one that is silent for longer is not there.
const firstAnswer = 30 * time.Second

// otherServer is what to do where no server answers.
const otherServer = "name a nasight serve that runs, as http://HOST:9877 (https://USER:PASSWORD@HOST:PORT where it has TLS or basic auth)"

// unanswered is what an error tells of a server that does not answer, or not as it should, without what it was asked for; nil of another one.
func unanswered(err error) *promread.ServerError {
	var server *promread.ServerError
	errors.As(err, &server)
	return server
}

// named is a flag with its value.
type named struct{ flag, value string }

// configuration is the one of a file, or the defaults. Of the flags that name a history only one may be given.
func configuration(file string, one, other named) (config.Config, error) {
	if one.value != "" && other.value != "" {
		return config.Config{}, usageError("%s=%s and %s=%s: name one of them", one.flag, one.value, other.flag, other.value)
	}
	if file == "" {
		return config.Default(), nil
	}
	cfg, err := config.Load(file)
	if err != nil {
		return config.Config{}, usageError("%w", err)
	}
	return cfg, nil
}

// openHistory connects to a running serve, or opens the files of one that does not run. What a flag names wins over what the
// configuration of a file says; without either it is this machine's serve.
func openHistory(ctx context.Context, cfg config.Config, command, file string, files, server named) (source, error) {
	switch {
	case files.value != "":
		opened, err := openFiles(ctx, files.flag, files.value)
		if errors.Is(err, history.ErrInUse) {
			return source{}, collectError("%w; or ask it in place of its files: nasight %s %s=%s", err, command, server.flag, ownServer)
		}
		return opened, err
	case server.value != "":
		return openServer(server.value, server.flag)
	case file == "":
		return openServer(ownServer, server.flag)
	}
	return openConfigured(ctx, cfg)
}

func (c *planCommand) configuration() (config.Config, error) {
	return configuration(c.ConfigFile, named{"--server", c.Server}, named{"--history.path", c.History})
}

func (c *planCommand) open(ctx context.Context, cfg config.Config) (source, error) {
	return openHistory(ctx, cfg, "plan", c.ConfigFile, named{"--history.path", c.History}, named{"--server", c.Server})
}

// openConfigured finds the history of a configuration. One in another server is asked there. Else it is named twice: the files, and the address of the serve that
// writes them. The lock of the files says which is to be taken. Where it is free no serve runs, and the files are opened as
// serve opens them. Where it is held the serve is asked: reading the files beside it would not be safe, as it deletes and
// cuts them meanwhile. Files that are not here, or not ours, may be those of a serve in a container: it is asked, too.
func openConfigured(ctx context.Context, cfg config.Config) (source, error) {
	if cfg.History.Remote() {
		opened, err := serve.OpenRemote(cfg.History, slog.New(slog.DiscardHandler), build())
		if err != nil {
			return source{}, usageError("%w", err)
		}
		return source{reader: opened, name: opened.String(), close: opened.Close}, nil
	}
	files, err := openFiles(ctx, "history.path", cfg.History.Path)
	if err == nil {
		return files, nil
	}
	if !errors.Is(err, errNoHistory) && !errors.Is(err, history.ErrInUse) && !errors.Is(err, fs.ErrPermission) {
		return source{}, err
	}
	host, port, splitErr := net.SplitHostPort(cfg.Web.ListenAddress)
	if splitErr != nil {
		return source{}, usageError("web.listen_address: %w", splitErr)
	}
	if address := net.ParseIP(host); host == "" || address.IsUnspecified() {
		host = "localhost"
	}
	asked, openErr := openServer("http://"+net.JoinHostPort(host, port), "web.listen_address")
	asked.instead = err
	if errors.Is(err, history.ErrInUse) {
		asked.instead = nil // as it should be
	}
	return asked, openErr
}

func openServer(address, setting string) (source, error) {
	reader, err := promread.New(address, promread.Options{Patience: firstAnswer})
	if err != nil {
		return source{}, usageError("%s: %w", setting, err)
	}
	return source{reader: reader, name: reader.String(), close: reader.Close, notice: reader.Notice}, nil
}

var errNoHistory = errors.New("holds no history of nasight serve")

// openFiles opens a history without making one, and without deleting what a shorter retention would. The setting is the flag
// or the file's key that names the path.
func openFiles(ctx context.Context, setting, path string) (source, error) {
	if _, err := os.Stat(filepath.Join(path, "wal")); errors.Is(err, fs.ErrNotExist) {
		return source{}, usageError("%s=%s: %w", setting, path, errNoHistory)
	}
	const forever = 50 * 365 * 24 * time.Hour
	opened, err := history.OpenEmbedded(ctx, history.EmbeddedOptions{Path: path, Retention: forever})
	if err != nil {
		return source{}, collectError("%w", err)
	}
	return source{reader: opened, name: path, close: opened.Close, notice: func() string { return noticeOf(path) }}, nil
}

// noticeOf says that the files of a history hold simulated data.
func noticeOf(path string) string {
	if serve.Simulated(path) {
		return demo.Notice
	}
	return ""
}

// lookBack is how old the inventory of a serve that was stopped may be.
const lookBack = 15 * 24 * time.Hour

// survey looks at the fleet now. Where no inventory is known now, as of a serve that was stopped, it looks at the last
// moment of which one is.
func survey(ctx context.Context, reader history.Reader, cfg config.Config, now time.Time) (*fleet.Fleet, error) {
	seen, err := surveyAt(ctx, reader, cfg, now)
	if err != nil || len(seen.Pools) > 0 {
		return seen, err
	}
	// Inventory is read hourly: a step below the lookback of a selector (5 minutes) misses none.
	query := fmt.Sprintf("max_over_time(max(timestamp(%s))[%ds:4m])", schema.PoolInfo.Name, int(lookBack.Seconds()))
	points, err := reader.Instant(ctx, query, now)
	if err != nil {
		return seen, fmt.Errorf("find the last inventory: %w", err)
	}
	if len(points) == 0 {
		return seen, nil
	}
	return surveyAt(ctx, reader, cfg, time.Unix(int64(points[0].Value)+1, 0))
}

// surveyAt takes the view that serve takes by the same configuration.
func surveyAt(ctx context.Context, reader history.Reader, cfg config.Config, at time.Time) (*fleet.Fleet, error) {
	profile := fleet.Spacing(time.Duration(cfg.Detection.Window), cfg.CollectionInterval())
	profile.Cloud = cfg.Cloud
	profile.Inventory = at // the look over days ends at a sample, up to a grain before a serve that has just started read it
	profile.Provider = func(server, name string) fleet.Provider { return cfg.ProviderOf(server, name) }
	var err error
	if profile.Days, err = fleet.LearnDays(ctx, reader, at, profile); err != nil {
		return nil, fmt.Errorf("look over the volumes' days: %w", err)
	}
	if profile.Learnt, err = fleet.Learn(ctx, reader, at, profile); err != nil {
		return nil, fmt.Errorf("look over the clients' week: %w", err)
	}
	return fleet.Build(ctx, reader, at, profile)
}
