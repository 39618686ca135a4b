"""What commands read beside their arguments.

``data_sets`` problems in files, folders and on the hub · ``settings_file`` the settings of a training ·
``renamed`` what the data calls the columns.
"""
