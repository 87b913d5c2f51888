//! The lab asked as its page asks it.

mod api;
mod asking;
mod first_pages;
