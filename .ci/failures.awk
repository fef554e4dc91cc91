# What failing tests have printed, from the output of go test -v for several packages, without what gateways log.
#
#	awk -f .ci/failures.awk test.log
BEGIN {
	first = 50 # lines of one test, and its last
	last = 100
}

# Other tests print between the lines of a test that runs beside them: go test names whose lines follow.
/^=== (RUN|PAUSE|CONT|NAME) / {
	test = $3
	building = 0
	next
}
/^ *--- (PASS|SKIP|FAIL): / {
	if ($2 == "FAIL:") {
		show($3)
		print
	}
	forget($3)
	test = "" # a panic's stack may follow
	next
}
# What stands behind the last test is about the package: a panic, a goroutine that was left, a time-out. Its
# tests that have not ended are shown too: one of them may be why.
/^FAIL\t/ {
	show("")
	for (name in lines)
		if (name != "") {
			print "--- not ended: " name
			show(name)
		}
	print
	print ""
}
/^(ok  |FAIL|\?   )\t/ {
	for (name in lines)
		forget(name)
	test = ""
	building = 0
	next
}
/^# / { building = last } # a package that does not compile, between others
building > 0 {
	building--
	print substr($0, 1, 500)
	next
}
/^{/ { next }
{ text[test, place(++lines[test])] = substr($0, 1, 500) }

function place(line) { return line <= first ? line : first + 1 + line % last }
function show(name,    i) {
	for (i = 1; i <= lines[name]; i++)
		if (i <= first || i > lines[name] - last)
			print text[name, place(i)]
		else if (i == first + 1)
			print "    (" lines[name] - first - last " lines more)"
}
function forget(name,    i) {
	for (i = 1; i <= first + last; i++)
		delete text[name, i]
	delete lines[name]
}
