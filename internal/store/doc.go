// Package store is the conversation tree in SQLite: append, path, since, refs, blobs and search.
//
// A [Store] is one file that several processes may have open. It holds nodes, which are written once; refs, which name
// nodes and move; texts that are too long for a node, by their SHA-256; an index of words; and the trash. What a node
// means is not known here: callers describe it where that matters, as a [Shape] for [Store.Check] and as an [Indexed] for
// the index. The parts of a Store (nodes, refs, index, texts, trash) share one file and divide its methods by subject.
//
// # What is on disk when
//
// [Store.Commit] and what is made of it, such as [Store.Append], return once the change is on disk: WAL with
// synchronous=FULL. A [Change] is all or nothing. Its nodes, the moves of refs and the entries of the index become visible
// together, to every process.
//
// [Store.PutBlob] only remembers the text. The next commit of this process writes it before anything else, in the same
// transaction, so no node is ever on disk without the text that it names. Close writes what still waits.
//
// # Order
//
// A node's Seq is given out under the database's write lock and never used again, so it is the order of commit of all
// processes: whoever has seen a node has seen, or can read, everything with a smaller Seq. A parent is always older than
// its child. Times are for people; nothing is ordered by them, but for lists of refs that were moved last.
//
// # Writers
//
// There is one writer connection per process. Whoever commits while another one does waits for the next transaction,
// which takes all who wait by then, each in a savepoint of its own: one sync of the disk serves many callers, and one
// caller's failure undoes only its own part. A caller whose context has ended by then is left out. Once begun, a
// transaction ends whatever happens to those who wait for it. Processes wait for each other's lock for up to half a minute.
//
// Refs move by compare and swap: [Move] names where the ref points now. Two processes that move the same ref are told apart
// by [ErrMoved], which undoes the whole change of the one that came later.
//
// # Readers
//
// Readers have connections of their own and never wait for a writer. Each query sees the store as of one moment; two
// queries may see two. Iterators hold a connection until they end, and must have ended before Close.
//
// A store that may only be read, because of its owner, its folder or its file system, opens all the same. Nodes cannot be
// written to it ([Store.Writable] says why); what searches need is indexed in memory for as long as it is open.
//
// # What is cleaned
//
// The function that [Open] is given takes secrets and control sequences out of every text, every string and key of a node's
// body, every scope and every entry before it is written. The hash of a text is that of the cleaned text. Kinds, authors and
// the names of refs come from code and are written as they are.
//
// # Errors
//
// Trouble with the file is an [*Error]: a sentence and what to do about it. errors.Is tells ErrNotFound, ErrMoved, ErrNewer
// and ErrDamaged apart. A store of a newer program and another program's database are refused before anything is written to
// them. Damage is an error of whatever reads the damaged part and of nothing else.
//
// # What is removed
//
// Nothing, until it is discarded and its time has passed. Discarding renames refs; purging removes the nodes that no other
// ref leads to and the texts that no other node names, and overwrites them on disk.
package store
