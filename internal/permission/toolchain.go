package permission

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// wordSet returns a set of the words in a list. It is built on first use: most processes never need it.
func wordSet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return setOf(list) })
}

// setOf builds a set of words at once.
func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// wordTable returns sets of words by name: each line has a name, a colon and words. It is built like wordSet.
func wordTable(text string) func() map[string]map[string]bool {
	return sync.OnceValue(func() map[string]map[string]bool {
		out := map[string]map[string]bool{}
		for line := range strings.Lines(text) {
			name, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
			if name = strings.TrimSuffix(name, ":"); name == "" {
				continue
			}
			if out[name] == nil {
				out[name] = map[string]bool{}
			}
			if ok {
				maps.Copy(out[name], setOf(list))
			}
		}
		return out
	})
}

// toolchainPrograms are tool chain programs that only build, test, check, format or run a project: their arguments are
// the project's business, and a sandbox restricts them to it. A program that can also fetch, publish or install does
// not belong here, but in projectWords, with the words that do not.
var toolchainPrograms = wordSet(`
	pytest py.test unittest tox nox ruff black mypy pyright basedpyright ty pyre pylint flake8 pycodestyle pydocstyle pyflakes isort
	autopep8 yapf autoflake pyupgrade bandit vulture coverage hypothesis behave robot doctest pre-commit sphinx-build mkdocs cython
	cythonize maturin interrogate djlint docformatter radon xenon trial nosetests stubtest codespell yamllint ansible-lint tsc
	tsc-watch vue-tsc eslint eslint_d prettier prettierd biome rome oxlint standard xo stylelint jest vitest mocha ava tap jasmine
	karma nyc c8 cypress playwright wdio web-test-runner vite webpack rollup esbuild swc parcel tsup turbo nx lerna next nuxt astro
	svelte-check svelte-kit ng vue-cli-service remix gatsby eleventy babel tsd knip depcheck madge size-limit typedoc jsdoc
	api-extractor cspell markdownlint markdownlint-cli2 commitlint remark rimraf-free storybook graphql-codegen tailwindcss postcss
	sass lessc uglifyjs terser javac javadoc javap ktlint detekt kotlinc scalac scalafmt checkstyle pmd spotbugs ant sbt lein clj groovyc
	csc fsc vstest mstest nunit3-console xunit csharpier dotnet-format dotnet-coverage reportgenerator msbuild rspec rubocop
	standardrb reek brakeman minitest cucumber steep srb yard erb haml-lint erblint erb_lint slim-lint fasterer flog flay rdoc
	phpunit pest phpstan psalm phpcs phpcbf php-cs-fixer pint rector phpmd infection parallel-lint codecept behat phan deptrac gcc
	g++ cc c++ clang clang++ c89 c99 ld ar ranlib strip as nasm cmake ctest cpack ninja samu meson bazel bazelisk buck2 scons
	autoconf automake autoreconf aclocal libtool configure qmake clang-format clang-tidy clang-check cppcheck cpplint
	include-what-you-use iwyu_tool gcov lcov gcovr genhtml astyle uncrustify doxygen flex bison yacc lex protoc rustc rustfmt rustdoc
	clippy-driver cargo-clippy cargo-fmt cargo-nextest wasm-pack trunk golangci-lint staticcheck gofumpt goimports gotestsum revive
	errcheck ineffassign govulncheck gosec godoc stringer mockgen ginkgo templ sqlc buf swag wire gzip gunzip bzip2 bunzip2 xz unxz
	zstd unzstd zip 7z shellcheck shfmt bats hadolint actionlint vale typos taplo dprint treefmt swiftlint swift-format mix elixir
	dialyxir credo rebar3 gleam zig stack cabal hlint ormolu dune ocamlformat dart flutter luacheck stylua busted nimble crystal
	ameba elm elm-test elm-format purs spago yq xmllint less more jar scala-cli ldd readelf latexmk pdflatex xelatex lualatex bibtex biber
	pandoc tokei cloc scc kubeconform tflint dlv
	gopls pyright-langserver basedpyright-langserver pylsp typescript-language-server vtsls rust-analyzer clangd ruby-lsp solargraph
	intelephense phpactor jdtls csharp-ls kotlin-lsp lua-language-server zls elixir-ls bash-language-server sourcekit-lsp
	haskell-language-server-wrapper terraform-ls vue-language-server svelteserver
`)

// projectWords are the words with which programs that also fetch, publish or install only build, test, check, format or run the project.
var projectWords = wordTable(`
	cargo: build b check c test t clippy fmt run r bench doc rustdoc
	cargo: rustc nextest tree metadata clean expand miri llvm-cov tarpaulin hack machete deny fix verify-project pkgid version
	cargo: locate-project
	dotnet: build test run format clean msbuild vstest exec sln list watch ef csharpier stryker fantomas
	composer: test tests lint cs csfix cs-fix cs-check cs:fix cs:check fix format analyse analyze phpstan psalm phpunit pest
	composer: phpcs stan check checks ci qa validate run run-script exec dump-autoload dumpautoload show info rector pint
	composer: refactor types
	bundle: exec check list show info
	poetry: run check env show version build
	pdm: run test lint build info list
	pipenv: run check graph
	hatch: run test fmt build version env
	rye: run test lint fmt build show
	uv: run build tree venv version format
	conda: run list info
	pixi: run list info
	mise: run exec x ls
	asdf: exec current list
	poe:
	invoke:
	inv:
	doit:
	npm: test t tst run run-script start exec x ls list pkg explain version
	pnpm: test t run exec ls list why start
	yarn: test run exec workspace workspaces node list why start
	bun: test run build x
	deno: test lint fmt check run task bench doc info
	rails: test t spec runner r routes about stats notes zeitwerk:check assets:precompile db:migrate:status generate g
	pip: list show check freeze --version
	pip3: list show check freeze --version
	terraform: fmt validate version
	tofu: fmt validate version
	helm: lint template version
	alembic: history current heads branches show check
	swift: build test run format
	xcodebuild: build test clean analyze build-for-testing test-without-building -list -showBuildSettings
`)

// execWords are the words of package managers that are followed by a command with its arguments.
var execWords = wordTable(`
	uv: run
	poetry: run
	pdm: run
	pipenv: run
	hatch: run
	rye: run
	conda: run
	pixi: run
	bundle: exec
	composer: exec
	npm: exec x
	pnpm: exec
	yarn: exec
	bun: x
	npx:
	bunx:
	mise: exec x
	asdf: exec
	dotnet: exec
`)

// fetchMissing are those of them that fetch a package if they do not find a command of its name.
var fetchMissing = wordSet("npm bun npx bunx mise")

// managerWords are what managers do by themselves, besides projectWords: every other word is a script of the project, a program of an
// installed package, or a plug-in, none of which they fetch.
var managerWords = wordTable(`
	pnpm: add install i ci up update upgrade remove rm uninstall un link ln unlink import rebuild rb prune fetch install-test it dedupe
	pnpm: patch patch-commit patch-remove audit outdated licenses dlx create env pack publish config c get set store server self-update
	pnpm: setup init deploy doctor cache catalog root bin approve-builds ignored-builds cat-file cat-index find-hash recursive multi m
	pnpm: login logout whoami owner profile token search star view info dist-tag deprecate unpublish ping runtime rt help version
	pnpm: access adduser bugs docs repo team stars edit issues s se show explore hook org sbom with
	yarn: add install up upgrade upgrade-interactive remove link unlink import dedupe dlx create init pack publish npm config cache
	yarn: audit outdated global login logout owner plugin rebuild set self-update policies team tag patch patch-commit unplug search
	yarn: stage licenses autoclean check version versions bin info explain prune constraints generate-lock-entry help access add-file
	cargo: install add update fetch search publish login logout owner yank vendor new init remove rm uninstall generate-lockfile report
	cargo: package info help config read-manifest
`)

// scriptWords are the words of package managers that are followed by the name of one of the project's scripts.
var scriptWords = wordTable(`
	npm: run run-script
	pnpm: run
	yarn: run
	bun: run
	deno: task
	composer: run run-script
	pdm: run
	hatch: run
	mise: run
	rye: run
	pixi: run
`)

// taskRunners are programs whose words are tasks that the project defines.
var taskRunners = wordSet(`
	make gmake bmake just task rake mvn mvnw gradle gradlew mage poe invoke inv doit nox gulp grunt ant sbt turbo nx lerna earthly
	bazel rails artisan console
`)

// outwardWords are the words of tasks that are meant to reach other machines.
var outwardWords = wordSet(`
	deploy deployment publish unpublish release releases upload push rollout provision promote ship
`)

// outwardTask returns a task that is meant to reach other machines; empty: there is none.
func outwardTask(tasks []string) string {
	for _, t := range tasks {
		for part := range strings.FieldsFuncSeq(strings.ToLower(t), func(r rune) bool { return strings.ContainsRune(":-_./ ", r) }) {
			if outwardWords()[part] {
				return t
			}
		}
	}
	return ""
}

// fetchWords are the first words with which tool chain programs download or publish something; for Maven and Gradle, install does not.
var fetchWords = wordSet(`
	install update upgrade add get fetch download restore publish upload deploy push login pub deps.get local.hex hex.publish resolve
	autoupdate wrapper sync self-update
`)

// fetchWord is the word with which a program downloads or publishes packages; empty: there is none.
func fetchWord(name string, args []string) string {
	named := taskWords(args)
	for i, t := range named {
		switch {
		case strings.HasPrefix(t, "dependency:"):
			if slices.Contains(args, "-o") || slices.Contains(args, "--offline") {
				continue
			}
			return t
		case i == 0 && fetchWords()[t] && !(t == "install" && (strings.HasPrefix(name, "mvn") || strings.HasPrefix(name, "gradle"))):
			return t
		}
	}
	return ""
}

// destructiveWords are the words with which tools of databases and frameworks delete what no snapshot contains. They are compared as whole
// words, so that the name of a file or a test may contain one.
var destructiveWords = wordSet(`
	db:drop db:reset db:purge db:rollback db:wipe db:truncate_all db:migrate:reset db:schema:load db:seed:replant migrate:fresh
	migrate:reset migrate:refresh migrate:rollback schema:drop db:drop:all flush reset_db sqlflush zero downgrade drop reset
	--force-reset destroy doctrine:database:drop doctrine:schema:drop purge wipe truncate migrate:undo db:migrate:undo migrate:down
`)

// destructiveWord returns a word with which a program of the project deletes data; empty: there is none.
func destructiveWord(args []string) string {
	for _, a := range args {
		if destructiveWords()[strings.ToLower(a)] {
			return a
		}
	}
	return ""
}

// taskValueOptions are the options of programs with tasks that take the next word.
var taskValueOptions = wordSet("--tests -C -f --prefix -pl -P -x -p -s -w --filter -m -j -k -t -e")

// taskWords are the words of a command that are not options or their values and set nothing.
func taskWords(args []string) (out []string) {
	for i, a := range args {
		if strings.HasPrefix(a, "-") || strings.Contains(a, "=") || i > 0 && taskValueOptions()[args[i-1]] {
			continue
		}
		out = append(out, a)
	}
	return out
}
