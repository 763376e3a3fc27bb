// Package servers tests the programs as users run them: built, started, scraped and queried by the real promtool. The
// tests have the build tag servers; "make test-servers" builds what they need and runs them.
package servers
