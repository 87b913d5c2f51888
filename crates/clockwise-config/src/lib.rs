//! Fleet files into typed inputs of the library.
