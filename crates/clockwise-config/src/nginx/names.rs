//! What nginx's own modules call things.

use std::collections::HashSet;
use std::sync::OnceLock;

/// Directives that can stand at the top of a file, in `http` or in `stream`, and place nothing: those
/// of nginx 1.22, of NGINX Plus, and of the modules of njs, Lua and headers-more.
const DIRECTIVES: &str = "
    absolute_redirect access_log add_after_body add_before_body add_header add_trailer addition_types aio
    aio_write allow ancient_browser ancient_browser_value autoindex autoindex_exact_size autoindex_format
    autoindex_localtime charset charset_map charset_types chunked_transfer_encoding connection_pool_size
    create_full_put_path daemon dav_access dav_methods debug_points default_type deny directio
    directio_alignment disable_symlinks env error_log error_page etag events expires f4f_buffer_size geo
    google_perftools_profiles gunzip gunzip_buffers health_check_timeout http if_modified_since
    ignore_invalid_headers include index keepalive_disable keepalive_requests keepalive_time
    keepalive_timeout keyval keyval_zone large_client_header_buffers lingering_close lingering_time
    lingering_timeout load_module lock_file log_format log_not_found log_subrequest mail map
    map_hash_bucket_size map_hash_max_size master_process match max_headers max_ranges merge_slashes
    min_delete_depth mirror mirror_request_body modern_browser modern_browser_value
    more_clear_headers more_clear_input_headers more_set_headers more_set_input_headers
    msie_padding msie_refresh open_file_cache open_file_cache_errors open_file_cache_min_uses
    open_file_cache_valid open_log_file_cache otel_exporter output_buffers override_charset pcre_jit pid
    port_in_redirect postpone_output preread_buffer_size preread_timeout read_ahead real_ip_header
    real_ip_recursive recursive_error_pages request_pool_size reset_timedout_connection resolver
    resolver_timeout rewrite_log root satisfy secure_link secure_link_md5 secure_link_secret send_lowat
    send_timeout sendfile sendfile_max_chunk server server_name_in_redirect server_names_hash_bucket_size
    server_names_hash_max_size server_tokens session_log session_log_format session_log_zone
    set_real_ip_from slice source_charset spdy_chunk_size spdy_headers_comp split_clients
    status_format stream subrequest_output_buffer_size tcp_nodelay tcp_nopush thread_pool timer_resolution
    types types_hash_bucket_size types_hash_max_size underscores_in_headers uninitialized_variable_warn
    user variables_hash_bucket_size variables_hash_max_size working_directory xml_entities";

/// Families of directives that begin alike.
const FAMILIES: &[&str] = &[
    "auth_",
    "brotli",
    "client_",
    "fastcgi_",
    "geoip",
    "grpc_",
    "gzip",
    "hls_",
    "http2",
    "http3",
    "image_filter",
    "js_",
    "limit_",
    "lua_",
    "memcached_",
    "mp4_",
    "perl_",
    "proxy_",
    "quic_",
    "scgi_",
    "ssi",
    "ssl",
    "sub_filter",
    "userid",
    "uwsgi_",
    "worker_",
    "xslt_",
    "zone_sync",
];

/// Files that nginx's packages bring along and that hold no upstream.
const OWN_FILES: &[&str] = &[
    "fastcgi.conf",
    "fastcgi_params",
    "koi-utf",
    "koi-win",
    "mime.types",
    "proxy_params",
    "scgi_params",
    "uwsgi_params",
    "win-utf",
];

/// Whether a directive is one that nginx's own modules have outside of upstreams.
pub(super) fn is_known(name: &str) -> bool {
    static KNOWN: OnceLock<HashSet<&str>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| DIRECTIVES.split_ascii_whitespace().collect());
    known.contains(name)
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || name.ends_with("_by_lua")
        || name.ends_with("_by_lua_file")
        || name.ends_with("_by_lua_block")
}

pub(super) fn is_own_file(name: &str) -> bool {
    OWN_FILES.contains(&name)
}
