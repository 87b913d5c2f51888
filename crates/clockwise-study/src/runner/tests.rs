//! Whatever the threads, and however often it is interrupted, a study gives the same bytes.
