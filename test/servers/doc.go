// Package servers tests the programs as users run them: built, started, scraped by real servers, queried by the real promtool,
// and among the services of docker-compose.yml. The tests have the build tag servers; "make test-servers" builds what they
// need and runs them.
package servers
